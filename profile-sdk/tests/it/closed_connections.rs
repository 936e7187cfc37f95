//! Services that close connections between responses without announcing it.

use std::future::pending;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use futures_util::future::join_all;
use profile_sdk::{ApiKey, ErrorKind, HttpService, ProfileUpdate};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tower::layer::layer_fn;

use crate::{client_builder_for, connect_to};

/// Starts a service that closes each connection after its first response, when it is told to. Returns its
/// URL, the sender of the orders, and a receiver of the closed connections.
fn start() -> (String, Sender<()>, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let ((close, orders), (report, closed)) = (mpsc::channel(), mpsc::channel());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            respond(&mut stream);
            if orders.recv().is_err() {
                break;
            }
            drop(stream);
            report.send(()).unwrap();
        }
    });
    (uri, close, closed)
}

fn respond(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]).unwrap();
    let response = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(response).unwrap();
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.unwrap()
}

/// Creates posts, and blocks the only thread until the service has closed the connection.
async fn create_and_stand_still() {
    let (uri, close, closed) = start();
    let client = connect_to(&uri);
    for _ in 0..20 {
        client.create_post("p").await.unwrap();
        close.send(()).unwrap();
        closed.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}

#[test]
fn a_creation_does_not_use_a_connection_that_was_closed_while_the_runtime_stood_still() {
    runtime().block_on(create_and_stand_still());
    runtime().block_on(async { tokio::spawn(create_and_stand_still()).await.unwrap() });
}

/// The service closes the first connection instead of responding to its second request.
#[test]
fn after_a_lost_response_creations_do_not_reuse_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let service = thread::spawn(move || {
        let (mut first, _) = listener.accept().unwrap();
        respond(&mut first);
        let _ = first.read(&mut [0; 4096]).unwrap();
        drop(first);
        let (mut second, _) = listener.accept().unwrap();
        respond(&mut second);
        // While the second is still open.
        let (mut third, _) = listener.accept().unwrap();
        respond(&mut third);
    });
    let client = connect_to(&uri);
    runtime().block_on(async {
        client.create_post("p").await.unwrap();
        let error = client.create_post("p").await.unwrap_err();
        let found = (error.kind(), error.attempts());
        assert_eq!(found, (ErrorKind::ResponseLost, 1));
        assert!(error.may_have_been_applied() && !error.is_retryable());
        client.create_post("p").await.unwrap();
        client.create_post("p").await.unwrap();
    });
    service.join().unwrap();
}

/// The reaction of a service to a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reaction {
    Respond(u16),
    RespondAndClose,
    Close,
    Reset,
    Ignore,
}

/// Starts a service that reacts to the numbers of a connection and of its request, from 0. It responds on the first
/// connections when this number of them have a request. Returns its URL and the number of connections.
pub(crate) async fn start_reacting(
    together: usize,
    react: impl Fn(usize, usize) -> Reaction + Clone + Send + 'static,
) -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let (barrier, connections) = (Arc::new(Barrier::new(together)), Arc::default());
    let counter = Arc::<AtomicUsize>::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let connection = counter.fetch_add(1, Ordering::Relaxed);
            let react = react.clone();
            let react = move |request| react(connection, request);
            let barrier = Some(barrier.clone()).filter(|_| connection < together);
            tokio::spawn(serve(stream, barrier, react));
        }
    });
    (uri, connections)
}

async fn serve(
    mut stream: tokio::net::TcpStream,
    barrier: Option<Arc<Barrier>>,
    react: impl Fn(usize) -> Reaction,
) {
    for request in 0.. {
        if stream.peek(&mut [0]).await.is_ok_and(|bytes| bytes == 0) {
            return;
        }
        let reaction = react(request);
        if reaction == Reaction::Reset {
            // The system resets a connection whose data was not read.
            return;
        }
        let _ = stream.read(&mut [0; 4096]).await.unwrap();
        let status = match reaction {
            Reaction::Respond(status) => status,
            Reaction::RespondAndClose => 200,
            Reaction::Close | Reaction::Reset => return,
            Reaction::Ignore => pending().await,
        };
        if let Some(barrier) = &barrier {
            barrier.wait().await;
        }
        let head = format!("HTTP/1.1 {status} OK\r\ncontent-length: 11\r\n\r\n");
        let response = head + r#"{"data":{}}"#;
        stream.write_all(response.as_bytes()).await.unwrap();
        if reaction == Reaction::RespondAndClose {
            return;
        }
    }
}

/// Returns the attempts of a read, an edit and a deletion, while these connections are idle and the service has
/// forgotten them.
async fn attempts_with_stale(count: usize, reaction: Reaction, is_layered: bool) -> [u32; 3] {
    let (uri, _) = start_reacting(count, move |connection, request| {
        match connection < count && request > 0 {
            true => reaction,
            false => Reaction::Respond(200),
        }
    })
    .await;
    let key = |number: usize| ApiKey::new(format!("key-{number}")).unwrap();
    let mut builder = client_builder_for(&uri);
    if is_layered {
        builder = builder.layer(layer_fn(|network: HttpService| network));
    }
    let client = builder.api_key(key(0)).build().unwrap();
    let calls = (0..count).map(|number| client.with_api_key(key(number)).me());
    for result in join_all(calls).await {
        result.unwrap();
    }
    let seconds = if reaction == Reaction::Ignore { 1 } else { 60 };
    let timeout = Duration::from_secs(seconds);
    let read = client.me().attempt_timeout(timeout);
    let update = ProfileUpdate::new().bio("b".parse().unwrap());
    let edit = client.update_profile(&update).attempt_timeout(timeout);
    let deletion = client.delete_link(&"link_1".parse().unwrap());
    let deletion = deletion.attempt_timeout(timeout);
    [
        read.send().await.unwrap().attempts(),
        edit.send().await.unwrap().attempts(),
        deletion.send().await.unwrap().attempts(),
    ]
}

#[tokio::test]
async fn a_retry_does_not_take_the_next_stale_connection() {
    let mut cases = JoinSet::new();
    for count in [8, 20] {
        for reaction in [Reaction::Close, Reaction::Reset, Reaction::Ignore] {
            for is_layered in [false, true] {
                cases.spawn(async move {
                    let attempts = attempts_with_stale(count, reaction, is_layered).await;
                    // On a busy machine, a response may be later than the short timeout.
                    let is_as_expected = attempts == [2; 3] || reaction == Reaction::Ignore;
                    assert!(
                        is_as_expected,
                        "{count} {reaction:?} {is_layered}: {attempts:?}"
                    );
                });
            }
        }
    }
    cases.join_all().await;
}

#[tokio::test]
async fn a_429_after_a_lost_response_costs_no_connection() {
    let requests = Arc::<AtomicUsize>::default();
    let react = move |_, _| match requests.fetch_add(1, Ordering::Relaxed) % 3 {
        0 => Reaction::Close,
        1 => Reaction::Respond(429),
        _ => Reaction::Respond(200),
    };
    let (uri, connections) = start_reacting(0, react).await;
    let client = connect_to(&uri);
    for _ in 0..50 {
        assert_eq!(client.me().send().await.unwrap().attempts(), 3);
    }
    // One for each that was lost, and one, unless the machine is busy for a second.
    assert!(connections.load(Ordering::Relaxed) < 60);
}

#[tokio::test]
async fn one_creation_is_unknown_if_the_service_closes_each_connection() {
    let (uri, _) = start_reacting(0, |_, _| Reaction::RespondAndClose).await;
    let client = connect_to(&uri);
    let mut unknown = 0;
    for _ in 0..300 {
        unknown += usize::from(client.create_post("p").await.is_err());
    }
    assert!(unknown <= 1, "{unknown}");
}
