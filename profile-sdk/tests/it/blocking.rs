//! The client for programs without an async runtime.

use std::thread;

use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{ApiKey, ErrorKind, blocking};

use crate::{describe, requests};

fn start() -> MockServer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(MockServer::start())
}

fn connect(service: &MockServer) -> blocking::Client {
    let key = ApiKey::new(service.key()).unwrap();
    blocking::Client::new(describe(service).api_key(key)).unwrap()
}

#[test]
fn a_call_is_waited_for() {
    let service = start();
    let client = connect(&service);
    let post = client.wait(client.create_post("p")).unwrap().unwrap();
    assert_eq!(post.body.as_deref(), Some("p"));
    let response = client.wait(client.me().send()).unwrap();
    assert!(response.data().posts.as_ref().unwrap().contains(&post));
}

#[test]
fn it_repeats_and_fails_like_the_other() {
    let service = start();
    service
        .add_fault(FaultRule::new(Fault::status(503)))
        .unwrap();
    let client = connect(&service);
    let error = client.wait(client.me()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!((error.attempts(), requests(&service)), (4, 4));
}

#[test]
fn several_threads_may_wait_at_a_time() {
    let service = start();
    let client = connect(&service);
    thread::scope(|scope| {
        for _ in 0..4 {
            let client = client.clone();
            scope.spawn(move || {
                for _ in 0..10 {
                    client.wait(client.badges()).unwrap();
                }
            });
        }
    });
    assert_eq!(requests(&service), 40);
}
