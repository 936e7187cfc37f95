//! reqwest and the SDK with the feature `rustls-no-provider`, and a provider that the program
//! installs.

fn main() {
    #[cfg(feature = "with-sdk")]
    {
        let error = hosts::new_client().expect_err("no provider yet").to_string();
        let expected = "no crypto provider is installed";
        assert!(error.starts_with(expected), "{error}");
    }
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("no other provider");
    hosts::print_twice(|| hosts::http_request() + &hosts::tls_cipher_suites());
}
