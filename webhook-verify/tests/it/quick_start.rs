//! The program in the README: a delivery, senders that stall, and shutdown.

include!("quick_start/program.rs");

use std::future::pending;
use std::io::ErrorKind;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::{SECRET, secret};

const HOUR: Duration = Duration::from_secs(60 * 60);

const EVENT: &str = r#"{"type":"post.liked"}"#;

async fn connect(listener: &TcpListener, start: &str) -> TcpStream {
    let address = listener.local_addr().unwrap();
    let mut sender = TcpStream::connect(address).await.unwrap();
    sender.write_all(start.as_bytes()).await.unwrap();
    sender
}

fn delivery(body: &str) -> String {
    let signature = webhook_verify::sign(&secret(SECRET), EVENT);
    let length = EVENT.len();
    format!(
        "POST /hooks HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\
         x-service-signature: {signature}\r\n\r\n{body}"
    )
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
async fn responds_to_a_delivery_and_shuts_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let sender = connect(&listener, &delivery(EVENT)).await;
    let (shutdown, signal) = oneshot::channel::<()>();
    let app = app(secret(SECRET));
    let serving = tokio::spawn(serve(listener, app, signal));
    let response = response(sender).await;
    assert!(
        response.starts_with("HTTP/1.1 204 No Content"),
        "{response}"
    );
    drop(shutdown);
    serving.await.unwrap();
}

/// With the paused clock, time passes as soon as all tasks wait.
#[tokio::test(start_paused = true)]
async fn closes_the_connections_of_stalled_senders() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut senders = JoinSet::new();
    for start in [
        "",
        "POST /hooks HT",
        "POST /hooks HTTP/1.1\r\nhost: a",
        &delivery(r#"{"ty"#),
    ] {
        for _ in 0..25 {
            senders.spawn(response(connect(&listener, start).await));
        }
    }
    let app = app(secret(SECRET));
    tokio::spawn(serve(listener, app, pending::<()>()));
    let responses = timeout(HOUR, senders.join_all()).await.unwrap();
    assert_eq!(responses, vec![String::new(); 100]);
}

#[tokio::test(start_paused = true)]
async fn shuts_down_although_a_sender_stalls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let sender = connect(&listener, &delivery(r#"{"ty"#)).await;
    let app = app(secret(SECRET));
    // Time passes once the connection is accepted.
    let shutdown = tokio::time::sleep(Duration::from_secs(1));
    timeout(HOUR, serve(listener, app, shutdown)).await.unwrap();
    drop(sender);
}
