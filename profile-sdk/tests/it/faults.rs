//! Every fault that a network can produce gives its typed error, in bounded memory and time.

use std::time::Duration;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer, WireFault};
use profile_sdk::{ClientBuilder, Error, ErrorKind, ProfileUpdate, RetryPolicy};
use tokio::task::JoinHandle;

use crate::{connect_as_owner, describe, requests};

async fn start(fault: Fault) -> MockServer {
    let service = MockServer::builder().wire_faults().start().await.unwrap();
    service.add_fault(FaultRule::new(fault)).unwrap();
    service
}

#[tokio::test]
async fn an_answer_that_is_not_ours_is_told_once() {
    let page = Fault::Status {
        status: 200,
        body: Some("<html><title>Welcome</title>".to_owned()),
        headers: [("content-type".to_owned(), "text/html".to_owned())].into(),
    };
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
async fn what_comes_slowly_or_under_another_name_comes() {
    let html = "text/html".to_owned();
    let bytes_and_milliseconds = WireFault::Dribble {
        bytes: 200,
        milliseconds: 1,
    };
    for fault in [
        Fault::Wire(bytes_and_milliseconds),
        Fault::WrongContentType { content_type: html },
    ] {
        let service = start(fault).await;
        connect_as_owner(&service).me().await.unwrap();
        assert_eq!(requests(&service), 1);
    }
}

#[tokio::test]
async fn a_write_that_says_nothing_is_done() {
    let service = start(Fault::EmptyBody).await;
    let client = connect_as_owner(&service);
    let written = client.update_profile(&ProfileUpdate::new()).await.unwrap();
    assert_eq!((written, requests(&service)), (None, 1));
}

#[test]
fn no_answer_fills_the_memory() {
    const CAP: usize = 1 << 20;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for fault in [
        Fault::HugeBody { bytes: 64 << 20 },
        Fault::GzipBomb { bytes: 1 << 30 },
        Fault::Status {
            status: 400,
            body: Some("x".repeat(32 << 20)),
            headers: Default::default(),
        },
    ] {
        let service = runtime.block_on(start(fault));
        let client = describe(&service).max_response_bytes(CAP).build().unwrap();
        let used = allocation_counter::measure(|| {
            runtime.block_on(async { client.badges().await.unwrap_err() });
        });
        assert!(used.bytes_max < 4 * CAP as u64, "{used:?}");
    }
}

/// Lets as many attempts time out as the service holds, without waiting.
async fn let_time_out<T: Send + 'static>(
    service: &MockServer,
    attempts: u64,
    call: JoinHandle<Result<T, Error>>,
) -> Error {
    for attempt in 1..=attempts {
        let any = RequestPattern::any();
        let seen = service
            .journal()
            .wait(&any, attempt, Duration::from_secs(10));
        seen.await.unwrap();
        tokio::time::pause();
        tokio::time::advance(ClientBuilder::DEFAULT_ATTEMPT_TIMEOUT * 2).await;
        tokio::time::resume();
    }
    call.await.unwrap().map(drop).unwrap_err()
}

#[tokio::test]
async fn a_service_that_hangs_is_given_up_on() {
    for after in [0, 5] {
        let service = start(Fault::Wire(WireFault::Stall { after })).await;
        let client = connect_as_owner(&service);
        let read = tokio::spawn(client.me().into_future());
        let error = let_time_out(&service, 4, read).await;
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert_eq!((error.attempts(), requests(&service)), (4, 4));
        assert!(
            error
                .to_string()
                .starts_with("GET /api/v1/me: no complete response within 30 seconds; tried 4"),
            "{error}"
        );

        service.journal().clear();
        let write = tokio::spawn(client.create_post("p").into_future());
        let error = let_time_out(&service, 1, write).await;
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(error.may_have_been_applied());
        assert_eq!((error.attempts(), requests(&service)), (1, 1));
    }
}

#[tokio::test]
async fn an_attempt_takes_no_longer_than_what_is_left_of_the_call() {
    let service = start(Fault::Wire(WireFault::Stall { after: 0 })).await;
    let client = describe(&service).build().unwrap();
    let call = client.badges().total_timeout(Duration::from_secs(5));
    let call = tokio::spawn(call.retry(RetryPolicy::none()).into_future());
    let error = let_time_out(&service, 1, call).await;
    let told = "GET /api/v1/badges: no complete response within 5 seconds";
    assert!(error.to_string().starts_with(told), "{error}");
}
