//! Shared by the programs: prints their behavior before and after the SDK creates a client.

#[cfg(feature = "reqwest")]
mod requests;

#[cfg(feature = "reqwest")]
pub use requests::{http_request, tls_cipher_suites};

/// Prints a behavior, creates a client of the SDK if it is linked, and prints the behavior again.
pub fn print_twice(behavior: impl Fn() -> String) {
    println!("{}", behavior());
    #[cfg(feature = "with-sdk")]
    new_client().expect("a client");
    println!("{}", behavior());
}

/// Creates a client of the SDK.
#[cfg(feature = "with-sdk")]
pub fn new_client() -> Result<profile_sdk::Client, profile_sdk::Error> {
    profile_sdk::Client::builder()
        .base_url("https://profiles.example")
        .build()
}

/// Returns the cipher suites and key exchanges of a configuration of rustls.
#[cfg(feature = "rustls")]
pub fn cryptography(
    builder: rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier>,
) -> String {
    let provider = builder.crypto_provider();
    format!("{:?} {:?}", provider.cipher_suites, provider.kx_groups)
}
