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

/// Returns `true` if a client of the SDK offers HTTP/2 in the negotiation of TLS.
#[cfg(feature = "with-sdk")]
pub fn sdk_offers_http2() -> bool {
    use std::io::Read;

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let service = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let mut header = [0; 5];
        stream.read_exact(&mut header).unwrap();
        let mut hello = vec![0; u16::from_be_bytes([header[3], header[4]]).into()];
        stream.read_exact(&mut hello).unwrap();
        hello.windows(3).any(|bytes| bytes == b"\x02h2")
    });
    let client = profile_sdk::Client::builder().base_url(url);
    let client = client.retry(profile_sdk::RetryPolicy::none()).build();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let call = runtime.unwrap().block_on(client.unwrap().badges());
    call.unwrap_err();
    service.join().unwrap()
}

/// Returns the cipher suites and key exchanges of a configuration of rustls.
#[cfg(feature = "rustls")]
pub fn cryptography(
    builder: rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier>,
) -> String {
    let provider = builder.crypto_provider();
    format!("{:?} {:?}", provider.cipher_suites, provider.kx_groups)
}
