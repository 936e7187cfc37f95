//! Slow senders lose their connections, and do not delay shutdown.

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use receive_at_scale::{HEADER_TIMEOUT, HEALTH_CONNECTIONS, MAX_CONNECTIONS, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio::time::timeout;

use crate::load::{ready_url, receiver};
use crate::local_broker::LocalBroker;
use crate::start_broker;

const HOUR: Duration = Duration::from_secs(60 * 60);

const SIGNATURE: &str =
    "x-service-signature: sha256=0000000000000000000000000000000000000000000000000000000000000000";

const HALF_A_BODY: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{";

fn app() -> Router {
    Router::new()
        .route("/", post(async |_: Bytes| ()))
        .route("/health", get(async || ()))
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

const HEALTH_CHECK: &str = "GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
const DELIVERY: &str =
    "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";

/// Fails if the response does not come before any limit of time.
async fn prompt_response(address: SocketAddr, request: &str) -> String {
    let mut sender = TcpStream::connect(address).await.unwrap();
    sender.write_all(request.as_bytes()).await.unwrap();
    let responded = timeout(HEADER_TIMEOUT, response(sender)).await;
    responded.expect("the response is prompt")
}

/// Opens more connections than there are places, and sends the start of a request on each.
async fn fill(address: SocketAddr, start: &str) -> Vec<TcpStream> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        // The test opens both ends of each connection.
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        setrlimit(Resource::Nofile, limit).unwrap();
    }
    let mut senders = Vec::new();
    for _ in 0..MAX_CONNECTIONS + HEALTH_CONNECTIONS + 10 {
        let mut sender = TcpStream::connect(address).await.unwrap();
        sender.write_all(start.as_bytes()).await.unwrap();
        senders.push(sender);
    }
    senders
}

/// Starts a receiver as a process, which has file descriptors of its own.
async fn serve_in_a_process() -> Option<(Child, SocketAddr, LocalBroker)> {
    let broker = start_broker().await?;
    let mut receiver = receiver(&broker.url(), "1").spawn().unwrap();
    let url = timeout(HOUR, ready_url(&mut receiver)).await.unwrap();
    let address = url.trim_start_matches("http://").trim_end_matches("/hooks");
    Some((receiver, address.parse().unwrap(), broker))
}

#[tokio::test]
async fn connections_without_a_request_make_room_for_others() {
    let (_receiver, address, _broker) = or_skip!(serve_in_a_process().await);
    for start in ["", "POST / HTTP/1.1\r\nhost: a\r\n"] {
        let _senders = fill(address, start).await;
        for _ in 0..20 {
            let healthy = prompt_response(address, HEALTH_CHECK).await;
            assert!(healthy.starts_with("HTTP/1.1 200"), "{healthy}");
            let delivery = DELIVERY.replace("POST /", "POST /hooks");
            let rejected = prompt_response(address, &delivery).await;
            assert!(rejected.starts_with("HTTP/1.1 401"), "{rejected}");
        }
    }
}

#[tokio::test]
async fn the_health_check_has_places_of_its_own() {
    let (_receiver, address, _broker) = or_skip!(serve_in_a_process().await);
    let start = HALF_A_BODY.replace("POST /", "POST /hooks");
    let start = start.replace("content-length", &format!("{SIGNATURE}\r\ncontent-length"));
    // In a burst, a connection can be replaced before its request is read, which leaves a place free.
    let mut rejected = String::new();
    for _ in 0..10 {
        let _senders = fill(address, &start).await;
        let healthy = prompt_response(address, HEALTH_CHECK).await;
        assert!(healthy.starts_with("HTTP/1.1 200"), "{healthy}");
        let delivery = DELIVERY.replace("POST /", "POST /hooks");
        rejected = prompt_response(address, &delivery).await;
        if rejected.starts_with("HTTP/1.1 503") {
            return;
        }
        assert!(rejected.starts_with("HTTP/1.1 401"), "{rejected}");
    }
    panic!("{rejected}");
}
