//! rustls with ring alone; the SDK has the feature `rustls-ring`.

fn main() {
    hosts::print_twice(|| hosts::cryptography(rustls::ClientConfig::builder()));
}
