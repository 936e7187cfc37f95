//! The client for programs without an async runtime.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
use profile_sdk::{ApiKey, ErrorKind, Operation, Profile, blocking};

use crate::calls::each_call;
use crate::{add_fault, client_builder, client_builder_for, requests};

fn start() -> MockServer {
    MockServer::start_blocking()
}

fn connect(service: &MockServer) -> blocking::Client {
    let key = ApiKey::new(service.key()).unwrap();
    blocking::Client::new(client_builder(service).api_key(key)).unwrap()
}

#[test]
fn waits_for_a_call() {
    let service = start();
    let client = connect(&service);
    let post = client.create_post("p").unwrap().unwrap();
    assert_eq!(post.body.as_deref(), Some("p"));
    let response = client.wait(client.as_async().me().send()).unwrap();
    assert!(response.data().posts.as_ref().unwrap().contains(&post));
}

#[test]
fn has_every_call() {
    let service = start();
    let client = connect(&service);
    macro_rules! row {
        ($operation:expr, $call:expr) => {
            let _ = $call.unwrap();
        };
    }
    each_call!(client, row);
    let nothing = DesiredProfile::default();
    let plan = Plan::new(&Profile::default(), &nothing, PlanOptions::new());
    client.apply(&plan).unwrap();
    assert_eq!(requests(&service), Operation::ALL.len());
    client.sync(&nothing, PlanOptions::new()).unwrap();
}

#[test]
fn retries_like_the_async_client() {
    let service = start();
    add_fault(&service, FaultRule::new(Fault::status(503)));
    let client = connect(&service);
    let error = client.me().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!((error.attempts(), requests(&service)), (4, 4));
}

#[test]
fn several_threads_can_wait() {
    let service = start();
    let client = connect(&service);
    thread::scope(|scope| {
        for _ in 0..4 {
            let client = client.clone();
            scope.spawn(move || {
                for _ in 0..10 {
                    client.badges().unwrap();
                }
            });
        }
    });
    assert_eq!(requests(&service), 40);
}

/// A service that closes a kept-alive connection on request, and reports when the client has closed
/// it too.
struct ClosingService {
    uri: String,
    close: Sender<()>,
    closed: Receiver<()>,
}

impl ClosingService {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        let ((close, close_requests), (report_closed, closed)) = (mpsc::channel(), mpsc::channel());
        thread::spawn(move || {
            while close_requests.recv().is_ok() {
                respond_once(listener.accept().unwrap().0, &close_requests);
                report_closed.send(()).unwrap();
            }
        });
        Self { uri, close, closed }
    }
}

fn respond_once(mut stream: TcpStream, close_requests: &Receiver<()>) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).unwrap();
    let response = "HTTP/1.1 201 Created\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(response.as_bytes()).unwrap();
    close_requests.recv().unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    while stream.read(&mut request).unwrap_or(0) > 0 {}
}

#[test]
fn does_not_reuse_a_connection_closed_between_calls() {
    let service = ClosingService::start();
    let builder = client_builder_for(&service.uri).api_key(ApiKey::new("key").unwrap());
    let client = blocking::Client::new(builder).unwrap();
    for _ in 0..3 {
        service.close.send(()).unwrap();
        client.create_post("p").unwrap();
        service.close.send(()).unwrap();
        let noticed = service.closed.recv_timeout(Duration::from_secs(10));
        noticed.expect("the client closes its side while nothing waits");
    }
}

#[tokio::test]
async fn the_last_clone_can_be_dropped_in_a_runtime() {
    let client = blocking::Client::new(client_builder_for("http://127.0.0.1:1")).unwrap();
    drop(client.clone());
    drop(client);
}
