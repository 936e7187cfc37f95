//! reqwest with the platform's TLS.

fn main() {
    hosts::print_twice(|| hosts::http_request() + &hosts::tls_cipher_suites());
}
