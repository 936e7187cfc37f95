//! The rate limit of the key, which clones share.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule};
use profile_sdk::{Client, Error, ErrorKind, RetryPolicy};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::clock::SkippingClock;
use crate::mocked_service::MockServer;
use crate::{client_builder, requests};

const SECOND: Duration = Duration::from_secs(1);

/// Returns a service that rejects its first request, a client without retries that has sent it, and
/// its clock.
async fn rate_limited_once(retry_after: &str) -> (MockServer, Client, SkippingClock) {
    let service = MockServer::start().await;
    let rule = FaultRule::new(Fault::rate_limited(retry_after)).times(1);
    service.add_fault(rule).unwrap();
    let clock = SkippingClock::default();
    let client = client_builder(&service)
        .clock(clock.clone())
        .retry(RetryPolicy::none());
    let client = client.build().unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    (service, client, clock)
}

#[tokio::test]
async fn a_429_delays_every_request_of_the_client() {
    let (service, client, clock) = rate_limited_once("7").await;
    assert_eq!(client.clone().rate_limit().retry_after, Some(7 * SECOND));
    client.clone().site_stats().await.unwrap();
    assert_eq!(clock.waits(), [7 * SECOND]);
    assert_eq!(client.rate_limit().retry_after, None);
    client.badges().await.unwrap();
    assert_eq!(clock.waits().len(), 1);
    assert_eq!(requests(&service), 3);
}

#[tokio::test]
async fn waits_for_the_window_before_a_429() {
    let response = ResponseTemplate::new(200)
        .insert_header("ratelimit-limit", "1")
        .insert_header("ratelimit-remaining", "0")
        .insert_header("ratelimit-reset", "5")
        .set_body_string(r#"{"data":[]}"#);
    let service = MockServer::responding(response).await;
    let clock = SkippingClock::default();
    let builder = client_builder(&service).clock(clock.clone());
    let client = builder.build().unwrap();
    assert_eq!(client.rate_limit(), Default::default());
    for _ in 0..3 {
        client.badges().await.unwrap();
    }
    assert_eq!(clock.waits(), [5 * SECOND, 5 * SECOND]);
    let status = client.clone().rate_limit();
    assert_eq!((status.limit, status.remaining), (Some(1), Some(0)));
    assert_eq!(status.reset_after, Some(5 * SECOND));
    assert_eq!(status.retry_after, None);
    // A reported limit does not make a call fail: only a 429 is definite.
    let short = client.badges().total_timeout(2 * SECOND);
    short.await.unwrap();
    assert_eq!(clock.waits().len(), 2);
}

#[tokio::test]
async fn the_total_timeout_includes_the_queue() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder().base_url(uri).build().unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..16 {
        calls.spawn(client.badges());
    }
    // No response arrives.
    let mut connections = Vec::new();
    for _ in 0..16 {
        let accepted = timeout(10 * SECOND, listener.accept()).await;
        connections.push(accepted.expect("each call connects").unwrap());
    }
    let call = client.badges().total_timeout(Duration::from_millis(50));
    let error = call.await.unwrap_err();
    let found = (error.kind(), error.attempts());
    assert_eq!(found, (ErrorKind::RateLimited, 0));
    assert!(!error.may_have_been_applied());
    // The next call in the queue takes the place of one that is canceled.
    let canceled = tokio::spawn(client.badges());
    tokio::task::yield_now().await;
    let _next = tokio::spawn(client.badges());
    tokio::task::yield_now().await;
    canceled.abort();
    calls.abort_all();
    let sent = timeout(10 * SECOND, listener.accept()).await;
    sent.expect("a request of the next call").unwrap();
}

#[tokio::test]
async fn fails_at_once_during_a_long_pause() {
    let (service, client, clock) = rate_limited_once("100000").await;
    let status = client.rate_limit();
    assert_eq!(status.retry_after, Some(100_000 * SECOND));
    assert_eq!(status.paused_for, Some(30 * SECOND));
    let error = client.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!((error.attempts(), error.status()), (0, None));
    assert_eq!(error.retry_after(), Some(30 * SECOND));
    let expected = "GET /api/v1/stats: rate limit exceeded; the request was not sent; \
                    retry after 30 seconds";
    assert_eq!(error.to_string(), expected);
    assert_eq!((clock.waits().len(), requests(&service)), (0, 1));

    clock.skip(25 * SECOND);
    let short = client.site_stats().total_timeout(4 * SECOND);
    assert_eq!(short.await.unwrap_err().attempts(), 0);
    clock.skip(5 * SECOND);
    client.site_stats().await.unwrap();
    assert_eq!(
        (client.rate_limit().paused_for, requests(&service)),
        (None, 2)
    );
}

#[tokio::test]
async fn waits_for_the_window_after_a_429_without_retry_after() {
    let response = ResponseTemplate::new(429)
        .insert_header("ratelimit-remaining", "0")
        .insert_header("ratelimit-reset", "50");
    let service = MockServer::responding(response).await;
    let client = client_builder(&service).build().unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.retry_after(), Some(50 * SECOND));
    assert_eq!(error.attempts(), 1);
}

#[tokio::test]
async fn spaces_requests_by_the_interval() {
    let service = MockServer::start().await;
    let clock = SkippingClock::default();
    let client = client_builder(&service)
        .clock(clock.clone())
        .request_interval(10 * SECOND);
    let client = client.build().unwrap();
    for _ in 0..3 {
        client.clone().badges().await.unwrap();
    }
    assert_eq!(clock.waits(), [10 * SECOND, 10 * SECOND]);

    let error = client.badges().total_timeout(SECOND).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.attempts(), 0);
    let expected = "GET /api/v1/badges: the request was not sent, because the request interval of the client \
                    delays it beyond the total timeout of the call; retry after 10 seconds";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.retry_after(), Some(10 * SECOND));
    assert_eq!(requests(&service), 3);
}

#[tokio::test]
async fn reports_a_request_interval_beyond_the_deadline() {
    let service = MockServer::start().await;
    let client = client_builder(&service)
        .clock(SkippingClock::waking_late_by(SECOND))
        .request_interval(10 * SECOND);
    let client = client.build().unwrap();
    client.badges().await.unwrap();
    let late = client.badges().total_timeout(11 * SECOND);
    let error = late.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited, "{error}");
    assert_eq!((error.attempts(), requests(&service)), (0, 1));
}

/// The forms of a header with the same value twice.
const FORMS: [fn(ResponseTemplate, &'static str, &str) -> ResponseTemplate; 3] = [
    |response, name, value| response.append_header(name, value),
    |response, name, value| response.append_header(name, format!("{value}, {value}")),
    |response, name, value| {
        response
            .append_header(name, value)
            .append_header(name, value)
    },
];

#[tokio::test]
async fn headers_of_caches_and_proxies_are_read_in_every_form() {
    let ten_minutes = Duration::from_secs(600);
    let date = httpdate::fmt_http_date;
    let now = SystemTime::now();
    let in_ten_seconds = date(now + 10 * SECOND);
    let unix = (now + 10 * SECOND).duration_since(UNIX_EPOCH).unwrap();
    let unix = unix.as_secs().to_string();
    for age in [None, Some("0"), Some("600")] {
        let respond = |status: u16| {
            let response = ResponseTemplate::new(status);
            age.into_iter()
                .fold(response, |response, age| response.append_header("age", age))
        };
        let is_cached = age == Some("600");
        let sent_at = if is_cached { now - ten_minutes } else { now };
        for (form, add) in FORMS.into_iter().enumerate() {
            for (name, value, wait) in [
                ("retry-after", "7", 7),
                ("retry-after", &*in_ten_seconds, 10),
                ("ratelimit-reset", "7", 7),
                ("x-ratelimit-reset", &*unix, 10),
            ] {
                // A date contains a comma, so it is not joined.
                if value.contains(',') && form == 1 {
                    continue;
                }
                let response = respond(429).insert_header("date", date(sent_at));
                let (_, error) = limits(add(response, name, value)).await;
                let found = error.unwrap().retry_after().unwrap().as_secs_f64();
                let case = format!("{name}: {value}, form {form}, age {age:?}: {found}");
                assert!((found - f64::from(wait)).abs() < 2.0, "{case}");
            }
            let ok = respond(200).set_body_string(r#"{"data":[]}"#);
            let (client, error) = limits(add(ok, "ratelimit-remaining", "5")).await;
            assert!(error.is_none());
            let expected = (!is_cached).then_some(5);
            let found = client.rate_limit().remaining;
            assert_eq!(found, expected, "form {form}, age {age:?}");
        }
    }
}

/// Sends a call, without retries.
async fn limits(response: ResponseTemplate) -> (Client, Option<Error>) {
    let service = MockServer::responding(response).await;
    let client = client_builder(&service).retry(RetryPolicy::none());
    let client = client.build().unwrap();
    let error = client.badges().await.err();
    (client, error)
}
