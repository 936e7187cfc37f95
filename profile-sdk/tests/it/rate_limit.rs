//! The key's rate limit: known from answers, shared by clones, respected by all of them.

use std::time::Duration;

use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{Client, ErrorKind, RetryPolicy};

use crate::clock::SkippingClock;
use crate::{answer_all, describe, requests};

const SECOND: Duration = Duration::from_secs(1);

/// A client without retries, of a service that refuses its first request, and its clock.
async fn refused_once(retry_after: &str) -> (MockServer, Client, SkippingClock) {
    let service = MockServer::start().await;
    let rule = FaultRule::new(Fault::rate_limited(retry_after)).times(1);
    service.add_fault(rule).unwrap();
    let clock = SkippingClock::default();
    let client = describe(&service)
        .clock(clock.clone())
        .retry(RetryPolicy::none())
        .build()
        .unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    (service, client, clock)
}

#[tokio::test]
async fn a_429_holds_back_every_request_of_the_client() {
    let (service, client, clock) = refused_once("7").await;
    assert_eq!(client.clone().rate_limit().retry_after, Some(7 * SECOND));
    client.clone().site_stats().await.unwrap();
    assert_eq!(clock.waits(), [7 * SECOND]);
    assert_eq!(client.rate_limit().retry_after, None);
    client.badges().await.unwrap();
    assert_eq!(clock.waits().len(), 1);
    assert_eq!(requests(&service), 3);
}

#[tokio::test]
async fn a_long_hold_fails_at_once_and_is_tried_again_in_time() {
    let (service, client, clock) = refused_once("100000").await;
    let error = client.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!((error.attempts(), error.status()), (0, None));
    assert_eq!(error.retry_after(), Some(100_000 * SECOND));
    assert_eq!(
        error.to_string(),
        "GET /api/v1/stats: rate limit exceeded; the request was not sent; \
         retry after 100000 seconds"
    );
    assert_eq!((clock.waits().len(), requests(&service)), (0, 1));

    clock.skip(30 * SECOND);
    client.site_stats().await.unwrap();
    assert_eq!(requests(&service), 2);
}

#[tokio::test]
async fn a_hold_longer_than_the_call_fails_at_once() {
    let (service, client, _) = refused_once("20").await;
    let call = client.site_stats().total_timeout(10 * SECOND);
    assert_eq!(call.await.unwrap_err().attempts(), 0);
    assert_eq!(requests(&service), 1);
}

#[tokio::test]
async fn what_headers_tell_is_known() {
    let service = MockServer::start().await;
    let client = describe(&service).build().unwrap();
    assert_eq!(client.rate_limit(), Default::default());
    let answer = ResponseTemplate::new(200)
        .insert_header("x-ratelimit-limit", "100")
        .insert_header("x-ratelimit-remaining", "99")
        .insert_header("x-ratelimit-reset", "60")
        .set_body_string(r#"{"data":[]}"#);
    answer_all(&service, answer).await;
    client.badges().await.unwrap();
    let known = client.clone().rate_limit();
    assert_eq!((known.limit, known.remaining), (Some(100), Some(99)));
    assert_eq!(known.reset_after, Some(60 * SECOND));
    assert_eq!(known.retry_after, None);
}

#[tokio::test]
async fn a_429_without_a_wait_is_given_the_rest_of_its_window() {
    let service = MockServer::start().await;
    let answer =
        ResponseTemplate::new(429).insert_header("ratelimit", "limit=100, remaining=0, reset=50");
    answer_all(&service, answer).await;
    let client = describe(&service).build().unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.retry_after(), Some(50 * SECOND));
    assert_eq!(error.attempts(), 1);
}

#[tokio::test]
async fn requests_keep_the_interval_that_the_caller_sets() {
    let service = MockServer::start().await;
    let clock = SkippingClock::default();
    let client = describe(&service)
        .clock(clock.clone())
        .request_interval(10 * SECOND)
        .build()
        .unwrap();
    for _ in 0..3 {
        client.clone().badges().await.unwrap();
    }
    assert_eq!(clock.waits(), [10 * SECOND, 10 * SECOND]);

    let error = client.badges().total_timeout(SECOND).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.attempts(), 0);
    assert_eq!(
        error.to_string(),
        "GET /api/v1/badges: the request was not sent, because the request interval of the client \
         delays it beyond the total timeout of the call; retry after 10 seconds"
    );
    assert_eq!(error.retry_after(), Some(10 * SECOND));
    assert_eq!(requests(&service), 3);
}

#[tokio::test]
async fn a_turn_at_the_end_of_the_total_time_is_told_as_what_it_is() {
    let service = MockServer::start().await;
    let client = describe(&service)
        .clock(SkippingClock::waking_late_by(SECOND))
        .request_interval(10 * SECOND)
        .build()
        .unwrap();
    client.badges().await.unwrap();
    let late = client.badges().total_timeout(11 * SECOND);
    let error = late.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited, "{error}");
    assert_eq!((error.attempts(), requests(&service)), (0, 1));
}
