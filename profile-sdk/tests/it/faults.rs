//! Each network fault returns its kind of error, with bounded memory and time.

use std::time::Duration;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer, WireFault};
use profile_sdk::{ClientBuilder, Error, ErrorKind, RetryPolicy};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::{client_builder, connect_as_owner, connect_to, requests};

async fn start(fault: Fault) -> MockServer {
    let service = MockServer::start().await;
    service.add_fault(FaultRule::new(fault)).unwrap();
    service
}

#[tokio::test]
async fn does_not_retry_unreadable_responses() {
    let page = Fault::status(200).with_body("<html><title>Welcome</title>");
    let page = page.with_header("content-type", "text/html");
    for (fault, kind) in [
        (page, ErrorKind::Unreadable),
        (Fault::EmptyBody, ErrorKind::Unreadable),
        (Fault::MalformedJson, ErrorKind::Unreadable),
        (
            Fault::redirect("http://127.0.0.1:1/"),
            ErrorKind::Redirected,
        ),
        (Fault::HugeBody { bytes: 64 << 20 }, ErrorKind::TooLarge),
        (Fault::GzipBomb { bytes: 1 << 30 }, ErrorKind::TooLarge),
    ] {
        let service = start(fault.clone()).await;
        let error = connect_as_owner(&service).me().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{fault:?}");
        assert_eq!((error.attempts(), requests(&service)), (1, 1));
    }
}

#[tokio::test]
async fn accepts_slow_responses_and_other_content_types() {
    let html = "text/html; charset=utf-16".to_owned();
    let (bytes, pause) = (200, Duration::from_millis(1));
    for fault in [
        Fault::Wire(WireFault::Dribble { bytes, pause }),
        Fault::WrongContentType { content_type: html },
    ] {
        let service = start(fault).await;
        connect_as_owner(&service).me().await.unwrap();
        assert_eq!(requests(&service), 1);
    }
}

#[test]
fn limits_the_memory_of_responses() {
    const CAP: usize = 1 << 20;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    for fault in [
        Fault::HugeBody { bytes: 64 << 20 },
        Fault::GzipBomb { bytes: 1 << 30 },
        Fault::status(400).with_body("x".repeat(32 << 20)),
    ] {
        let service = runtime.block_on(start(fault));
        let client = client_builder(&service).max_response_bytes(CAP);
        let client = client.build().unwrap();
        let memory = allocation_counter::measure(|| {
            runtime.block_on(async { client.badges().await.unwrap_err() });
        });
        assert!(memory.bytes_max < 4 * CAP as u64, "{memory:?}");
    }
}

/// Advances the clock until the given number of attempts have timed out.
async fn time_out<T: Send + 'static>(
    service: &MockServer,
    attempts: u64,
    call: JoinHandle<Result<T, Error>>,
) -> Error {
    for attempt in 1..=attempts {
        let (any_request, journal) = (RequestPattern::any(), service.journal());
        let received = journal.wait(&any_request, attempt, Duration::from_secs(10));
        received.await.unwrap();
        tokio::time::pause();
        tokio::time::advance(ClientBuilder::DEFAULT_ATTEMPT_TIMEOUT * 2).await;
        tokio::time::resume();
    }
    call.await.unwrap().map(drop).unwrap_err()
}

#[tokio::test]
async fn times_out_when_the_service_hangs() {
    for after in [0, 5] {
        let service = start(Fault::Wire(WireFault::Stall { after })).await;
        let client = connect_as_owner(&service);
        let read = tokio::spawn(client.me());
        let error = time_out(&service, 4, read).await;
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert_eq!((error.attempts(), requests(&service)), (4, 4));
        let start = "GET /api/v1/me: no complete response within 30 seconds; tried 4";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

#[tokio::test]
async fn a_write_times_out_without_a_response() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = connect_to(&format!("http://{}", listener.local_addr().unwrap()));
    let write = tokio::spawn(client.create_post("p"));
    let accepted = timeout(Duration::from_secs(10), listener.accept()).await;
    let (mut stream, _) = accepted.unwrap().unwrap();
    let mut received = Vec::new();
    while !received.ends_with(b"}") {
        received.push(stream.read_u8().await.unwrap());
    }
    tokio::time::pause();
    tokio::time::advance(ClientBuilder::DEFAULT_ATTEMPT_TIMEOUT * 2).await;
    tokio::time::resume();
    let error = write.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    assert!(error.may_have_been_applied());
}

#[tokio::test]
async fn the_total_timeout_limits_an_attempt() {
    let service = start(Fault::Wire(WireFault::Stall { after: 0 })).await;
    let client = client_builder(&service).build().unwrap();
    let call = client.badges().total_timeout(Duration::from_secs(5));
    let call = tokio::spawn(call.retry(RetryPolicy::none()));
    let error = time_out(&service, 1, call).await;
    let start = "GET /api/v1/badges: no complete response within 5 seconds";
    assert!(error.to_string().starts_with(start), "{error}");
}
