//! Slow senders lose their connections, and do not delay shutdown.

use std::future::pending;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use receive_at_scale::serve;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

const HOUR: Duration = Duration::from_secs(60 * 60);

const HALF_A_BODY: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{";

fn app() -> Router {
    Router::new().route("/", post(async |_: Bytes| ()))
}

async fn connect(listener: &TcpListener, start: &str) -> TcpStream {
    let address = listener.local_addr().unwrap();
    let mut sender = TcpStream::connect(address).await.unwrap();
    sender.write_all(start.as_bytes()).await.unwrap();
    sender
}

/// Reads until the server closes the connection.
async fn response(mut sender: TcpStream) -> String {
    let mut response = String::new();
    timeout(HOUR, sender.read_to_string(&mut response))
        .await
        .unwrap()
        .unwrap();
    response
}

/// With the paused clock, time passes as soon as all tasks wait.
#[tokio::test(start_paused = true)]
async fn closes_the_connections_of_slow_senders() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let headers = connect(&listener, "POST / HTTP/1.1\r\nhost: a").await;
    tokio::spawn(serve(listener, app(), pending()));
    let closed = response(headers).await;
    assert!(
        closed.is_empty() || closed.starts_with("HTTP/1.1 408"),
        "{closed}"
    );
}

#[tokio::test(start_paused = true)]
async fn slow_senders_do_not_delay_shutdown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let _sender = connect(&listener, HALF_A_BODY).await;
    // Time passes once the connection is accepted.
    let shutdown = tokio::time::sleep(Duration::from_secs(1));
    timeout(HOUR, serve(listener, app(), shutdown))
        .await
        .unwrap();
}
