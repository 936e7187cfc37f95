//! Errors and responses of the feature `testing` are like those of the client.

use std::num::NonZeroU32;
use std::time::Duration;

use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule, RateLimit, ServiceHandle};
use profile_sdk::plan::ApplyError;
use profile_sdk::testing::{ErrorBuilder, ResponseBuilder, TestClock};
use profile_sdk::{Error, ErrorKind, LinkId, Operation, RetryPolicy};

use crate::mocked_service::{MockServer, respond_to_all};
use crate::{client_builder, connect_as_owner};

#[track_caller]
fn assert_alike(built: &Error, real: &Error) {
    assert_eq!(built.to_string(), real.to_string());
    assert_eq!(built.kind(), real.kind());
    assert_eq!(built.status(), real.status());
    assert_eq!(built.retry_after(), real.retry_after());
    assert_eq!(built.resource(), real.resource());
    assert_eq!(built.is_retryable(), real.is_retryable());
    let applied = built.may_have_been_applied();
    assert_eq!(applied, real.may_have_been_applied());
}

#[tokio::test]
async fn built_errors_are_like_real_ones() {
    for (kind, status) in [
        (ErrorKind::Unauthorized, 401),
        (ErrorKind::Forbidden, 403),
        (ErrorKind::NotFound, 404),
        (ErrorKind::Redirected, 303),
        (ErrorKind::Timeout, 408),
        (ErrorKind::Rejected, 422),
        (ErrorKind::RateLimited, 429),
        (ErrorKind::Service, 500),
    ] {
        let service = MockServer::start().await;
        let response = ResponseTemplate::new(status)
            .insert_header("retry-after", "3")
            .insert_header("x-request-id", "r-1")
            .set_body_raw(r#"{"code":"c","message":"m"}"#, "application/json");
        respond_to_all(&service, response).await;
        let id = LinkId::new("link_1").unwrap();
        let call = connect_as_owner(&service).delete_link(&id);
        let real = call.retry(RetryPolicy::none()).await.unwrap_err();
        let built = ErrorBuilder::new(kind)
            .status(status)
            .operation(Operation::DELETE_LINK)
            .resource("link_1")
            .header("x-request-id", "r-1")
            .code("c")
            .message("m")
            .retry_after(Duration::from_secs(3))
            .build();
        assert_alike(&built, &real);
    }
}

#[tokio::test]
async fn built_errors_without_a_status_are_like_real_ones() {
    let service = MockServer::start().await;
    service
        .add_fault(FaultRule::new(Fault::MalformedJson))
        .unwrap();
    let real = connect_as_owner(&service).site_stats().await.unwrap_err();
    let built = ErrorBuilder::new(ErrorKind::Unreadable)
        .operation(Operation::SITE_STATS)
        .build();
    assert_eq!((built.kind(), built.status()), (real.kind(), real.status()));
    let unknown = ErrorBuilder::new(ErrorKind::Interrupted).build();
    assert!(unknown.may_have_been_applied() && !unknown.is_retryable());
    for (operation, applied) in [
        (Operation::ME, false),
        (Operation::CREATE_LINK, true),
        (Operation::DELETE_POST, true),
    ] {
        let timeout = || ErrorBuilder::new(ErrorKind::Timeout).operation(operation.clone());
        assert_eq!(timeout().build().may_have_been_applied(), applied);
        for chosen in [true, false] {
            let built = timeout().may_have_been_applied(chosen).build();
            assert_eq!(built.may_have_been_applied(), chosen);
        }
    }
    let refused = ErrorBuilder::new(ErrorKind::Connection)
        .attempts(4, Duration::from_millis(1500))
        .operation(Operation::CREATE_POST)
        .build();
    assert!(!refused.may_have_been_applied());
    assert_eq!(
        refused.to_string(),
        "POST /api/v1/me/posts: could not connect, so nothing was sent; \
         tried 4 times in 1.5 seconds"
    );
}

#[tokio::test]
async fn a_clock_can_advance_that_of_the_mock_server() {
    let service = mock_server::MockServer::start().await;
    let limit = RateLimit {
        limit: 1,
        window_seconds: NonZeroU32::new(9).unwrap(),
    };
    let key = service.key().to_owned();
    service
        .update(|world| world.set_rate_limit(&key, limit))
        .unwrap()
        .unwrap();
    let mock = ServiceHandle::clone(&service);
    let clock =
        TestClock::new().on_advance(move |time| mock.update(|world| world.advance(time)).unwrap());
    let client = client_builder(&service)
        .api_key(key.parse().unwrap())
        .clock(clock.clone());
    let client = client.build().unwrap();
    for _ in 0..3 {
        assert_eq!(client.me().send().await.unwrap().attempts(), 1);
    }
    assert!(clock.elapsed() > Duration::from_secs(16), "{clock:?}");
    clock.advance(Duration::from_secs(9));
    assert_eq!(client.me().send().await.unwrap().attempts(), 1);
}

#[test]
fn built_errors_of_a_plan_tell_what_to_do() {
    let limited = ErrorBuilder::new(ErrorKind::RateLimited).retry_after(Duration::from_secs(3));
    let mut error = ApplyError::from(limited.build());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert!(error.is_retryable());
    let step = r#"{"step": "create_link", "to": {"title": "A", "url": "x:a"}}"#;
    error.report.unknown = Some(serde_json::from_str(step).unwrap());
    assert!(!error.is_retryable());
    assert!(
        error.to_string().ends_with("0 of 1 steps are done"),
        "{error}"
    );
}

#[test]
fn built_responses_have_what_was_set() {
    let response = ResponseBuilder::new(7)
        .status(201)
        .body(r#"{"data":7}"#)
        .attempts(2, Duration::from_secs(1))
        .build();
    assert_eq!((response.status(), response.attempts()), (201, 2));
    assert_eq!(response.elapsed(), Duration::from_secs(1));
    assert_eq!(response.raw_data(), Some("7"));
    assert_eq!(response.data(), &7);
}
