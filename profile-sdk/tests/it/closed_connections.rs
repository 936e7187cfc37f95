//! Services that close connections between responses without announcing it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use profile_sdk::ErrorKind;
use tokio::runtime::{Builder, Runtime};

use crate::connect_to;

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
