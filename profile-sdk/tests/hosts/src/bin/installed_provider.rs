//! rustls with ring, which the program installs; the SDK has aws-lc-rs.

fn main() {
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("no other provider");
    hosts::print_twice(|| hosts::cryptography(rustls::ClientConfig::builder()));
}
