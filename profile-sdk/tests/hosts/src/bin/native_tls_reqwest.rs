//! reqwest with its default features and the platform's TLS, which the SDK uses without HTTP/2.

fn main() {
    #[cfg(feature = "with-sdk")]
    assert!(!hosts::sdk_offers_http2());
    hosts::print_twice(|| hosts::http_request() + &hosts::tls_cipher_suites());
}
