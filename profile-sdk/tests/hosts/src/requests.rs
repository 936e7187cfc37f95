//! The requests of reqwest, as a service on this machine receives them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}";

/// Returns a request over HTTP, and the body of the response, which is not valid gzip.
pub fn http_request() -> String {
    let (result, head) = request("http", |mut stream| {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        stream.write_all(RESPONSE).unwrap();
        String::from_utf8(head).unwrap()
    });
    let mut lines = head.lines();
    let host = lines.find(|line| line.starts_with("host: ")).unwrap();
    format!("{} {result:?}", head.replace(host, "host"))
}

/// Returns the cipher suites that a request over HTTPS offers.
pub fn tls_cipher_suites() -> String {
    let (_, cipher_suites) = request("https", |mut stream| {
        // A record header, a handshake header, the version and the random bytes (RFC 8446, 4.1.2).
        let mut hello = [0; 5 + 4 + 2 + 32];
        stream.read_exact(&mut hello).unwrap();
        let mut length = [0; 1];
        stream.read_exact(&mut length).unwrap();
        let mut session_id = vec![0; length[0].into()];
        stream.read_exact(&mut session_id).unwrap();
        let mut length = [0; 2];
        stream.read_exact(&mut length).unwrap();
        let mut cipher_suites = vec![0; u16::from_be_bytes(length).into()];
        stream.read_exact(&mut cipher_suites).unwrap();
        format!("{cipher_suites:?}")
    });
    cipher_suites
}

/// Sends a request with the default client of reqwest to a thread that serves it.
fn request(scheme: &str, serve: fn(TcpStream) -> String) -> (Result<String, String>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    let service = thread::spawn(move || serve(listener.accept().unwrap().0));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let result = runtime.block_on(async {
        let response = reqwest::Client::new().get(url).send().await?;
        response.text().await
    });
    let result = result.map_err(|error| error.without_url().to_string());
    (result, service.join().unwrap())
}
