//! Errors and responses of the feature `testing` are like those of the client.

use std::future::ready;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule, RateLimit, ServiceHandle};
use profile_sdk::plan::ApplyError;
use profile_sdk::testing::{ErrorBuilder, ResponseBuilder, TestClock};
use profile_sdk::{
    Clock, Error, ErrorKind, HttpService, LinkId, Operation, RetryPolicy, SystemClock,
};
use tokio::task::{JoinSet, yield_now};
use tower::layer::layer_fn;
use tower::service_fn;

use crate::mocked_service::MockServer;
use crate::{add_fault, client_builder_for, connect_as_owner, owner_builder};

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
        let response = ResponseTemplate::new(status)
            .insert_header("retry-after", "3")
            .insert_header("x-request-id", "r-1")
            .set_body_raw(r#"{"code":"c","message":"m"}"#, "application/json");
        let service = MockServer::responding(response).await;
        let id = LinkId::new("link_1").unwrap();
        let call = connect_as_owner(&service).delete_link(&id);
        let real = call.retry(RetryPolicy::none()).await.unwrap_err();
        let built = ErrorBuilder::new(kind)
            .status(status)
            .operation(Operation::DELETE_LINK)
            .resource("link_1")
            .header("x-request-id", "r-1")
            .body(r#"{"code":"c","message":"m"}"#)
            .retry_after(Duration::from_secs(3))
            .build();
        assert_alike(&built, &real);
    }
}

#[tokio::test]
async fn built_errors_without_a_status_are_like_real_ones() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::MalformedJson));
    let real = connect_as_owner(&service).site_stats().await.unwrap_err();
    let built = ErrorBuilder::new(ErrorKind::Unreadable).operation(Operation::SITE_STATS);
    let built = built.build();
    assert_eq!((built.kind(), built.status()), (real.kind(), real.status()));
    let unknown = ErrorBuilder::new(ErrorKind::ResponseLost).build();
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
            // A read is never applied.
            assert_eq!(built.may_have_been_applied(), chosen && applied);
        }
    }
    let refused = ErrorBuilder::new(ErrorKind::Connection)
        .attempts(4, Duration::from_millis(1500))
        .operation(Operation::CREATE_POST)
        .build();
    assert!(!refused.may_have_been_applied());
    let expected = "POST /api/v1/me/posts: could not connect, so nothing was sent; \
                    tried 4 times in 1.5 seconds";
    assert_eq!(refused.to_string(), expected);
}

#[tokio::test]
async fn a_clock_can_advance_that_of_the_mock_server() {
    let service = mock_server::MockServer::start().await;
    let limit = RateLimit {
        limit: 1,
        window_seconds: NonZeroU32::new(9).unwrap(),
    };
    let key = service.key().to_owned();
    let limited = service.update(|world| world.set_rate_limit(&key, limit));
    limited.unwrap().unwrap();
    let mock = ServiceHandle::clone(&service);
    let advance = move |time| mock.update(|world| world.advance(time)).unwrap();
    let clock = TestClock::new().on_advance(advance);
    let client = owner_builder(&service).clock(clock.clone());
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
    let done = error.to_string();
    assert!(done.ends_with("0 of 1 steps are done"), "{done}");
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

const SECOND: Duration = Duration::from_secs(1);

/// Returns a builder for a client whose service is down until this clock shows a time.
fn after_outage(clock: &TestClock, outage: Duration) -> profile_sdk::ClientBuilder {
    let service = clock.clone();
    let fake = layer_fn(move |_: HttpService| {
        let service = service.clone();
        service_fn(move |_: http::Request<bytes::Bytes>| {
            let status = if service.elapsed() < outage { 503 } else { 200 };
            let response = http::Response::builder().status(status);
            ready(response.body(r#"{"data":[]}"#.to_owned()))
        })
    });
    let builder = client_builder_for("https://profiles.example").layer(fake);
    let builder = builder.clock(clock.clone());
    builder.jitter(|| 1.0).retry_budget(1000)
}

#[tokio::test]
async fn waits_that_overlap_end_in_the_order_of_their_times() {
    let advanced = Arc::<Mutex<Vec<u64>>>::default();
    let seen = advanced.clone();
    let clock = TestClock::new().on_advance(move |time| seen.lock().unwrap().push(time.as_secs()));
    tokio::join!(clock.sleep(SECOND), clock.sleep(SECOND));
    assert_eq!((clock.elapsed(), clock.waits()), (SECOND, vec![SECOND; 2]));

    let ended = &Mutex::new(Vec::new());
    let wait = async |seconds: u32| {
        clock.sleep(seconds * SECOND).await;
        let end = (seconds, clock.elapsed().as_secs());
        ended.lock().unwrap().push(end);
    };
    let unpolled = clock.sleep(4 * SECOND);
    tokio::select! {
        biased;
        () = clock.sleep(2 * SECOND) => unreachable!("the other wait is shorter"),
        _ = async { tokio::join!(wait(1), wait(0)) } => {}
    }
    tokio::join!(wait(7), wait(3), wait(7), wait(5));
    unpolled.await;
    let expected = [(0, 1), (1, 2), (3, 5), (5, 7), (7, 9), (7, 9)];
    assert_eq!(*ended.lock().unwrap(), expected);
    assert_eq!(*advanced.lock().unwrap(), [1, 1, 3, 2, 2]);
}

#[tokio::test]
async fn an_outage_that_is_too_long_fails_for_all_pollers() {
    for (outage, failed) in [(699, 0), (2000, 50)] {
        let clock = TestClock::new();
        let client = after_outage(&clock, Duration::from_millis(outage));
        let client = client.build().unwrap();
        let mut pollers = JoinSet::new();
        for _ in 0..50 {
            let (client, clock) = (client.clone(), clock.clone());
            pollers.spawn(async move {
                let result = client.badges().await;
                for _ in 0..3 {
                    clock.sleep(60 * SECOND).await;
                    client.badges().await?;
                }
                result
            });
        }
        let results = pollers.join_all().await;
        let errors = results.iter().filter(|result| result.is_err());
        assert_eq!(errors.count(), failed);
        assert_eq!(clock.elapsed(), 180 * SECOND + Duration::from_millis(700));
    }
}

#[tokio::test]
async fn the_clock_stands_still_during_an_attempt_and_in_manual_tests() {
    let (respond, response) = tokio::sync::watch::channel(false);
    let fake = layer_fn(move |_: HttpService| {
        let response = response.clone();
        service_fn(move |_: http::Request<bytes::Bytes>| {
            let mut response = response.clone();
            async move {
                response.wait_for(|is_sent| *is_sent).await.unwrap();
                Ok::<_, Error>(http::Response::new(r#"{"data":[]}"#.to_owned()))
            }
        })
    });
    let clock = TestClock::new();
    let client = client_builder_for("https://profiles.example").clock(clock.clone());
    let client = client.layer(fake).build().unwrap();
    let call = tokio::spawn(client.badges());
    let canceled = tokio::spawn(client.badges());
    let manual = TestClock::manual();
    let waits = [&clock, &manual].map(|clock| tokio::spawn(clock.sleep(SECOND)));
    for _ in 0..1000 {
        yield_now().await;
    }
    assert!(waits.iter().all(|wait| !wait.is_finished()));
    canceled.abort();
    respond.send(true).unwrap();
    call.await.unwrap().unwrap();
    manual.advance(2 * SECOND);
    for wait in waits {
        wait.await.unwrap();
    }
    assert_eq!((clock.elapsed(), manual.elapsed()), (SECOND, 2 * SECOND));
}

#[test]
fn waits_of_blocking_clients_end() {
    let clock = TestClock::new();
    let outage = Duration::from_millis(250);
    let client = profile_sdk::blocking::Client::new(after_outage(&clock, outage)).unwrap();
    let threads = [client.clone(), client]
        .map(|client| std::thread::spawn(move || client.badges().map(drop)));
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
    assert!(clock.elapsed() >= outage);
}

#[tokio::test(start_paused = true)]
async fn waits_do_not_advance_the_paused_time_of_tokio() {
    let (clock, started) = (TestClock::new(), SystemClock.now());
    let shared: Arc<dyn Clock> = Arc::new(clock.clone());
    let client = after_outage(&clock, SECOND / 2).clock(shared);
    let client = client.build().unwrap();
    client.badges().await.unwrap();
    assert_eq!(clock.waits().len(), 3);
    assert_eq!(SystemClock.now(), started);
}

#[tokio::test]
async fn the_guide_shows_the_outages_that_policies_bridge() {
    let patient = RetryPolicy::new().max_retries(8);
    let slow = "`.max_retries(8).base_delay(Duration::from_secs(1))`";
    for (name, policy) in [
        ("default", RetryPolicy::new()),
        ("`.max_retries(8)`", patient),
        (slow, patient.base_delay(SECOND)),
    ] {
        let clock = TestClock::new();
        let client = after_outage(&clock, Duration::MAX).retry(policy);
        let client = client.build().unwrap();
        client.badges().await.unwrap_err();
        let row = format!("| {name} | 0 to {} |\n", clock.elapsed().as_secs_f64());
        assert!(include_str!("../../docs/guide.md").contains(&row), "{row}");
    }
}
