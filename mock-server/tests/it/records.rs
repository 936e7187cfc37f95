//! Journal entries of requests that are not answered normally.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mock_server::journal::{RecordedRequest, RequestOutcome, RequestPattern};
use mock_server::{Endpoint, Fault, FaultRule, MockServer, WireFault};
use serde_json::json;

use crate::request::request;

const MINUTE: Duration = Duration::from_secs(60);

/// Returns a request with an unknown field.
fn invalid_edit(server: &MockServer) -> String {
    let body = r#"{"nickname":"x"}"#;
    format!(
        "PATCH /api/v1/me/profile HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.key(),
        body.len()
    )
}

/// Sends a request with an unknown field and returns its connection.
fn edit(server: &MockServer) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(invalid_edit(server).as_bytes()).unwrap();
    stream
}

/// Waits until the first request has this outcome.
fn wait_for(server: &MockServer, outcome: RequestOutcome) -> RecordedRequest {
    let deadline = Instant::now() + MINUTE;
    loop {
        let first = server.journal().requests().into_iter().next();
        match first {
            Some(first) if first.outcome == outcome => return first,
            other => assert!(Instant::now() < deadline, "{other:?}"),
        }
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_request_that_is_abandoned_before_the_write_is_recorded() {
    let server = MockServer::start().await;
    let delay = FaultRule::new(Fault::delay(Duration::from_millis(60_000)));
    server.add_fault(delay).unwrap();
    let client = edit(&server);
    let arrived = server.expect("PATCH", "/me/profile").arrives(1, MINUTE);
    let arrived = arrived.await;
    assert_eq!(arrived[0].outcome, RequestOutcome::Delayed);
    assert_eq!(arrived[0].fault.as_deref(), Some("delay"));
    assert!(server.report().violations().next().is_none());
    drop(client);
    let abandoned = wait_for(&server, RequestOutcome::Abandoned);
    assert_eq!((abandoned.number, abandoned.status), (1, None));
    assert_eq!(abandoned.endpoint, Some("/api/v1/me/profile"));
    assert_eq!(abandoned.key.as_deref(), Some("all"));
    assert_eq!(abandoned.violations.len(), 1);
    let report = server.report();
    assert_eq!(report.violations().count(), 1);
    let edits = report.coverage.endpoint(Endpoint::EditProfile);
    assert_eq!((edits.calls, edits.rejections["unknown_field"]), (1, 0));
    server.expect("PATCH", "/me/profile").once();
}

#[tokio::test]
async fn a_delayed_request_does_not_come_back_into_a_cleared_journal() {
    let server = MockServer::start().await;
    let delay = FaultRule::new(Fault::delay(Duration::from_millis(500)));
    server.add_fault(delay).unwrap();
    let delayed = request(&server, "GET /me").begin();
    server.expect("GET", "/me").arrives(1, MINUTE).await;
    server.journal().clear();
    assert_eq!(delayed.finish().status, 200);
    assert_eq!(server.journal().requests(), []);
}

#[tokio::test]
async fn a_client_that_leaves_during_a_slow_response_has_abandoned_it() {
    let server = MockServer::start().await;
    let (bytes, pause) = (1, 10 * MINUTE);
    let slow = Fault::Wire(WireFault::Dribble { bytes, pause });
    server.add_fault(FaultRule::new(slow)).unwrap();
    let client = request(&server, "GET /me").begin();
    wait_for(&server, RequestOutcome::Responded);
    drop(client);
    let abandoned = wait_for(&server, RequestOutcome::Abandoned);
    assert_eq!(abandoned.status, None);
}

#[tokio::test]
async fn a_response_that_is_abandoned_after_the_write_has_no_status() {
    let server = MockServer::start().await;
    let delay = FaultRule::new(Fault::delay(Duration::from_millis(60_000)));
    server.add_fault(delay.after_write()).unwrap();
    let client = request(&server, "POST /me/posts");
    let client = client.json(json!({"body": "x"})).begin();
    let delayed = wait_for(&server, RequestOutcome::Delayed);
    assert_eq!(delayed.status, None);
    let world = server.world().unwrap();
    assert_eq!(world.account("demo").unwrap().posts.len(), 2);
    drop(client);
    let abandoned = wait_for(&server, RequestOutcome::Abandoned);
    assert_eq!(abandoned.status, None);
    let created = RequestPattern::new("POST", "/me/posts").status(201);
    server.expect_matching(created).never();
}

#[tokio::test]
async fn a_fault_of_the_connection_is_an_outcome() {
    let (bytes, pause) = (1_000, Duration::ZERO);
    let failed = RequestOutcome::ConnectionFault;
    for (fault, outcome, status) in [
        (WireFault::Close, failed, None),
        (WireFault::Cut { after: 1 }, failed, Some(200)),
        (
            WireFault::Dribble { bytes, pause },
            RequestOutcome::Responded,
            Some(200),
        ),
    ] {
        let server = MockServer::start().await;
        let rule = FaultRule::new(Fault::Wire(fault));
        server.add_fault(rule).unwrap();
        request(&server, "GET /badges").begin().read_until_closed();
        let recorded = &server.journal().requests()[0];
        assert_eq!((recorded.outcome, recorded.status), (outcome, status));
    }
}

/// Waits until this number of requests was received, each of which has the number of violations.
async fn assert_handled(server: &MockServer, times: usize, violations: usize) {
    let pattern = RequestPattern::any();
    let arrived = server.journal().wait(&pattern, times as u64, MINUTE);
    let arrived = arrived.await.unwrap();
    assert_eq!(arrived.len(), times);
    for request in arrived {
        assert_eq!(request.violations.len(), violations, "{request:?}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_at_once_does_not_prevent_that_its_requests_are_handled() {
    const CLIENTS: usize = 50;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.json");
    let with_file = MockServer::builder().state_file(path);
    for builder in [MockServer::builder(), with_file] {
        let server = builder.start_blocking().unwrap();
        let edit = invalid_edit(&server);
        let chunked = edit.replace("Content-Length: 16", "Transfer-Encoding: chunked");
        let (head, body) = chunked.split_once("\r\n\r\n").unwrap();
        let chunked = format!("{head}\r\n\r\n10\r\n{body}\r\n0\r\n\r\n");
        let large = edit.replace("Content-Length: 16", "Content-Length: 1000016");
        let large = large + &" ".repeat(1_000_000);
        let read = "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
        // Those after the first are read after the client has rejected the first response.
        let pipelined = edit.repeat(4);
        for (sent, requests, violations) in [
            (read, 1, 0),
            (edit, 1, 1),
            (chunked, 1, 1),
            (large, 1, 1),
            (pipelined, 4, 1),
        ] {
            for _ in 0..CLIENTS {
                let mut client = TcpStream::connect(server.address()).unwrap();
                client.write_all(sent.as_bytes()).unwrap();
                drop(client);
            }
            assert_handled(&server, CLIENTS * requests, violations).await;
            server.journal().clear();
        }
    }
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_a_request_sends_none() {
    let server = MockServer::start().await;
    let whole = invalid_edit(&server);
    for end in [1, whole.len() - 17, whole.len() - 1] {
        let mut client = TcpStream::connect(server.address()).unwrap();
        client.write_all(&whole.as_bytes()[..end]).unwrap();
        drop(client);
    }
    drop(edit(&server));
    let arriving = server.expect("PATCH", "/me/profile");
    arriving.arrives(1, MINUTE).await;
    server.expect("PATCH", "/me/profile").once();
}
