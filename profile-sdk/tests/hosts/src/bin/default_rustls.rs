//! rustls with its default features, which include aws-lc-rs.

fn main() {
    hosts::print_twice(|| hosts::cryptography(rustls::ClientConfig::builder()));
}
