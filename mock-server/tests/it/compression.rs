//! Compressed responses.

use std::io::{Read, Write};
use std::net::TcpStream;

use flate2::read::GzDecoder;
use mock_server::dialect::Compression;
use mock_server::{Dialect, Fault, FaultRule, MockServer};

const ORIGIN: &str = "http://localhost:3000";

async fn start() -> MockServer {
    let mut dialect = Dialect::default();
    dialect.compression = Compression::Gzip;
    let builder = MockServer::builder().dialect(dialect).cors(ORIGIN).unwrap();
    builder.start().await.unwrap()
}

/// Returns the head in lower case and the body of a response.
fn send(server: &MockServer, line: &str, headers: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let key = server.key();
    let head = format!("{line} HTTP/1.1\r\nHost: mock\r\nConnection: close\r\n{headers}");
    write!(stream, "{head}Authorization: Bearer {key}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap() + 4;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    (head.to_ascii_lowercase(), answer[end..].to_vec())
}

fn decompress(body: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(body).read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn compresses_if_the_client_accepts_it() {
    let server = start().await;
    let (head, plain) = send(&server, "GET /api/v1/me", "");
    assert!(!head.contains("content-encoding"), "{head}");
    assert!(head.contains("\r\nvary: accept-encoding\r\n"), "{head}");

    let accepts = "Accept-Encoding: br, gzip\r\n";
    let (head, body) = send(&server, "GET /api/v1/me", accepts);
    let length = format!("content-length: {}\r\n", body.len());
    for line in [
        "content-encoding: gzip\r\n",
        "vary: accept-encoding\r\n",
        "vary: origin\r\n",
        "content-type: application/json\r\n",
        &length,
    ] {
        assert!(head.contains(&format!("\r\n{line}")), "{line} in {head}");
    }
    assert!(body.len() < plain.len());
    assert_eq!(decompress(&body).as_bytes(), plain);

    let journal = server.journal().requests();
    let recorded = journal.last().unwrap();
    assert_eq!(recorded.response_body, plain);
    assert_eq!(recorded.response_body_length, plain.len() as u64);
    let encoding = ("content-encoding".to_owned(), "gzip".to_owned());
    assert!(recorded.response_headers.contains(&encoding));
}

#[tokio::test]
async fn rejections_are_compressed_but_not_empty_responses() {
    let server = start().await;
    let accepts = "Accept-Encoding: gzip\r\n";
    let (head, body) = send(&server, "GET /api/v1/unknown", accepts);
    assert!(head.starts_with("http/1.1 404 "), "{head}");
    assert!(decompress(&body).contains("unknown_path"));
    let (head, body) = send(&server, "DELETE /api/v1/me/links/link_1", accepts);
    assert!(head.starts_with("http/1.1 204 "), "{head}");
    assert!(!head.contains("content-encoding"), "{head}");
    assert_eq!(body, b"");
}

#[tokio::test]
async fn faults_damage_the_body_before_it_is_compressed() {
    let server = start().await;
    let fault = FaultRule::new(Fault::MalformedJson);
    server.add_fault(fault).unwrap();
    let (_, body) = send(&server, "GET /api/v1/me", "Accept-Encoding: gzip\r\n");
    let text = decompress(&body);
    let is_cut = text.starts_with(r#"{"data":{"#) && text.ends_with('}');
    assert!(is_cut, "{text}");
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_err());
}
