//! The program in the README: a delivery, and senders that stall.

include!("quick_start/program.rs");

use std::io::ErrorKind;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{SECRET, secret};

const HOUR: Duration = Duration::from_secs(60 * 60);

const EVENT: &str = r#"{"type":"post.liked"}"#;

async fn connect(listener: &TcpListener, start: &str) -> TcpStream {
    let address = listener.local_addr().unwrap();
    let mut sender = TcpStream::connect(address).await.unwrap();
    sender.write_all(start.as_bytes()).await.unwrap();
    sender
}

/// Returns the headers of a genuine delivery, and a part of its body.
fn delivery(body: &str) -> String {
    let signature = webhook_verify::sign(&secret(SECRET), EVENT);
    format!("x-service-signature: {signature}\r\n\r\n{body}")
}

/// Sends the end of a request to the program, and reads the response.
async fn respond(end: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let length = EVENT.len();
    let start = format!(
        "POST /hooks HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {length}\r\n{end}"
    );
    let sender = connect(&listener, &start).await;
    let app = app(secret(SECRET));
    tokio::spawn(async { axum::serve(listener, app).await });
    timeout(HOUR, response(sender)).await.unwrap()
}

/// Reads until the server closes the connection.
async fn response(mut sender: TcpStream) -> String {
    let mut response = Vec::new();
    match sender.read_to_end(&mut response).await {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    String::from_utf8(response).unwrap()
}

#[test]
fn readme_contains_the_program() {
    let program = include_str!("quick_start/program.rs").replace('\r', "");
    let readme = include_str!("../../README.md").replace('\r', "");
    assert!(readme.contains(&format!("```rust,no_run\n{program}```\n")));
}

#[tokio::test]
async fn responds_to_a_delivery() {
    let response = respond(&delivery(EVENT)).await;
    assert!(
        response.starts_with("HTTP/1.1 204 No Content"),
        "{response}"
    );
}

/// With the paused clock, time passes as soon as all tasks wait.
#[tokio::test(start_paused = true)]
async fn closes_the_connections_of_stalled_senders() {
    let forged = "x-service-signature: sha256=00\r\n\r\n{";
    for (end, status) in [(delivery("{"), "408"), (forged.to_owned(), "401")] {
        let start = tokio::time::Instant::now();
        let response = respond(&end).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{response}"
        );
        assert_eq!(start.elapsed().as_secs(), 10);
    }
}
