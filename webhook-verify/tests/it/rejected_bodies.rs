//! Senders of large bodies receive the response to a rejected delivery, and not a reset connection.

use std::time::Duration;

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use webhook_verify::{Receiver, Verified, Verifier};

use crate::{BODY, SECRET, SIGNATURE, secret};

const DEADLINE: Duration = Duration::from_secs(60);

/// Much larger than the buffers of a connection.
const LARGE: usize = 7 << 20;

/// Sends a request with the body in full before it reads the response.
async fn respond(headers: &str, body: &[u8]) -> std::io::Result<String> {
    let receiver = Receiver::new(Verifier::new(secret(SECRET)));
    let router = Router::new()
        .route("/", post(async |_: Verified<Bytes>| ()))
        .with_state(receiver);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut sender = TcpStream::connect(listener.local_addr()?).await?;
    tokio::spawn(async { axum::serve(listener, router).await });

    let head = format!("POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    sender.write_all(head.as_bytes()).await?;
    sender.write_all(body).await?;
    let mut response = String::new();
    timeout(DEADLINE, sender.read_to_string(&mut response)).await??;
    Ok(response.lines().next().unwrap_or_default().to_owned())
}

fn chunked(length: usize) -> Vec<u8> {
    let chunk = [b"10000\r\n".to_vec(), vec![0; 0x10000], b"\r\n".to_vec()].concat();
    [chunk.repeat(length / 0x10000), b"0\r\n\r\n".to_vec()].concat()
}

/// The receiver reads at most 8 MiB, and one chunk, of a rejected body.
#[tokio::test]
async fn bodies_are_discarded_up_to_the_limit() {
    const LIMIT: usize = 8 << 20;
    let headers = format!("content-length: {LIMIT}\r\n");
    let response = respond(&headers, &vec![0; LIMIT]).await;
    assert_eq!(response.unwrap(), "HTTP/1.1 401 Unauthorized");

    let endless = chunked(LIMIT + 0x10000);
    let endless = endless.strip_suffix(b"0\r\n\r\n").unwrap();
    let response = respond("transfer-encoding: chunked\r\n", endless).await;
    assert_eq!(response.unwrap(), "HTTP/1.1 401 Unauthorized");
}

#[tokio::test]
async fn senders_of_too_large_bodies_receive_the_413() {
    let headers = format!("content-length: {LARGE}\r\nx-service-signature: {SIGNATURE}\r\n");
    let response = respond(&headers, &vec![0; LARGE]).await;
    assert_eq!(response.unwrap(), "HTTP/1.1 413 Payload Too Large");

    let headers = format!("transfer-encoding: chunked\r\nx-service-signature: {SIGNATURE}\r\n");
    let response = respond(&headers, &chunked(LARGE)).await;
    assert_eq!(response.unwrap(), "HTTP/1.1 413 Payload Too Large");
}

/// The limit of a layer in front, such as that of tower-http.
#[tokio::test]
async fn a_body_that_is_too_large_for_a_limit_in_front_is_a_413() {
    let receiver = Receiver::new(Verifier::new(secret(SECRET)));
    let headers = [("x-service-signature", SIGNATURE)]
        .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()));
    let headers = http::HeaderMap::from_iter(headers);
    for (limit, status) in [(BODY.len() - 1, Some(413)), (BODY.len(), None)] {
        let limited = http_body_util::Limited::new(axum::body::Body::from(BODY), limit);
        // As a layer passes it on.
        let body = axum::body::Body::new(limited);
        let received = receiver.receive(&headers, body).await;
        let found = received.err().map(|rejection| rejection.status().as_u16());
        assert_eq!(found, status);
    }
}

#[tokio::test]
async fn senders_that_wait_for_permission_are_not_asked_for_the_body() {
    let headers = format!("content-length: {LARGE}\r\nexpect: 100-continue\r\n");
    let response = respond(&headers, b"").await;
    assert_eq!(response.unwrap(), "HTTP/1.1 401 Unauthorized");
}

#[tokio::test]
async fn enormous_bodies_are_rejected_at_once() {
    let response = respond("content-length: 1000000000000\r\n", b"").await;
    assert_eq!(response.unwrap(), "HTTP/1.1 401 Unauthorized");
}
