//! reqwest with its default features.

fn main() {
    hosts::print_twice(|| hosts::http_request() + &hosts::tls_cipher_suites());
}
