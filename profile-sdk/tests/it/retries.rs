//! Retries and waits, counted by the service.

use std::time::{Duration, SystemTime};

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer, WireFault};
use profile_sdk::testing::TestClock;
use profile_sdk::{Error, ErrorKind, LinkId, Method, Operation, Post, ProfileUpdate, RetryPolicy};

use crate::clock::SkippingClock;
use crate::every_call::every_call;
use crate::{add_fault, client_builder, connect_as_owner, owner_builder, requests};

const SECOND: Duration = Duration::from_secs(1);

/// Returns the result and the number of requests of each operation, if the first request meets the
/// fault.
async fn call_each_with_fault(fault: Fault) -> Vec<(Operation, Result<(), Error>, usize)> {
    let service = MockServer::start().await;
    let mut results = Vec::new();
    for (operation, call) in every_call(&connect_as_owner(&service)) {
        service.clear_faults();
        service.journal().clear();
        add_fault(&service, FaultRule::new(fault.clone()).times(1));
        results.push((operation, call.await, requests(&service)));
    }
    results
}

#[tokio::test]
async fn a_response_counts_attempts_and_time() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)).times(2));
    let client = client_builder(&service).jitter(|| 1.0).build().unwrap();
    let response = client.badges().send().await.unwrap();
    assert_eq!(response.attempts(), 3);
    assert_eq!(response.elapsed(), Duration::from_millis(100 + 200));
}

/// The success of a call whose first request meets a fault, and the number of requests.
type Outcomes = [(bool, usize); 3];

#[tokio::test]
async fn calls_are_retried_as_the_guide_says() {
    const RETRIED: (bool, usize) = (true, 2);
    const ACCEPTED: (bool, usize) = (true, 1);
    const FAILED: (bool, usize) = (false, 1);
    let wire = [WireFault::Reset { after: None }, WireFault::Close].map(Fault::Wire);
    let lost = [408, 502, 503, 504]
        .map(Fault::status)
        .into_iter()
        .chain(wire);
    let incomplete = [WireFault::Cut { after: 5 }, WireFault::BadChunk].map(Fault::Wire);
    let permanent = [400, 404, 500, 501].map(Fault::status).into_iter();
    let permanent = permanent.chain([Fault::redirect("http://127.0.0.1:1/")]);
    // Of a read, an edit or a deletion, and a creation.
    let table: [(Vec<Fault>, Outcomes); 4] = [
        (lost.collect(), [RETRIED, RETRIED, FAILED]),
        (incomplete.into(), [RETRIED, ACCEPTED, ACCEPTED]),
        (vec![Fault::rate_limited("1")], [RETRIED; 3]),
        (permanent.collect(), [FAILED; 3]),
    ];
    for (faults, outcomes) in table {
        for fault in faults {
            for (operation, outcome, requests) in call_each_with_fault(fault.clone()).await {
                let created = [Operation::CREATE_LINK, Operation::CREATE_POST].contains(&operation);
                let class = usize::from(operation.method().is_write()) + usize::from(created);
                let found = (outcome.is_ok(), requests);
                assert_eq!(found, outcomes[class], "{operation} {fault:?}");
                let Err(error) = outcome else { continue };
                assert_eq!(error.attempts(), 1);
                let is_unknown = error.may_have_been_applied() && !error.is_retryable();
                assert!(is_unknown || outcomes[0] == FAILED, "{error}");
            }
        }
    }
}

#[tokio::test]
async fn retries_three_times_by_default() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)));
    let client = connect_as_owner(&service);
    for (call, attempts) in [
        (client.me(), 4),
        (client.me().retry(RetryPolicy::none()), 1),
        (client.me().retry(RetryPolicy::new().max_retries(6)), 7),
    ] {
        service.journal().clear();
        let error = call.await.unwrap_err();
        assert_eq!(error.attempts(), attempts);
        assert_eq!(requests(&service), attempts as usize);
        let tried = error
            .to_string()
            .contains(&format!("; tried {attempts} times in "));
        assert_eq!(tried, attempts > 1, "{error}");
    }
}

#[tokio::test]
async fn a_404_after_a_lost_deletion_is_a_success() {
    let service = MockServer::start().await;
    let lost = FaultRule::new(Fault::Wire(WireFault::Reset { after: None })).after_write();
    add_fault(&service, lost.times(1));
    let client = connect_as_owner(&service);
    let id = LinkId::new("link_1").unwrap();
    let response = client.delete_link(&id).send().await.unwrap();
    assert_eq!(response.status(), 404);
    assert_eq!(requests(&service), 2);
    // The body of the 404 is not the data.
    let lost = FaultRule::new(Fault::Wire(WireFault::Reset { after: None })).after_write();
    add_fault(&service, lost.times(1));
    let raw = client.raw_call(Method::Delete, "/api/v1/me/posts/post_1");
    assert_eq!(raw.read_data::<Option<Post>>().await.unwrap(), None);

    // Without a lost response, a 404 is an error.
    let error = client.delete_link(&id).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    add_fault(&service, FaultRule::new(Fault::rate_limited("1")).times(1));
    let error = client.delete_link(&id).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.attempts(), 2);
    assert!(!error.may_have_been_applied());
}

#[tokio::test]
async fn an_earlier_attempt_may_have_been_applied() {
    let service = MockServer::start().await;
    let lost = FaultRule::new(Fault::Wire(WireFault::Reset { after: None })).after_write();
    add_fault(&service, lost.times(1));
    add_fault(&service, FaultRule::new(Fault::status(400)).after_write());
    let client = connect_as_owner(&service);
    let update = client.update_profile(&ProfileUpdate::new());
    let error = update.await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(400), 2));
    assert!(error.may_have_been_applied());
}

/// Makes a call whose first response requests a wait. Returns the result, the waits and the number
/// of requests.
async fn call_with_retry_after(retry_after: &str) -> (Result<(), Error>, Vec<Duration>, usize) {
    let service = MockServer::start().await;
    let rule = FaultRule::new(Fault::rate_limited(retry_after));
    add_fault(&service, rule.times(1));
    let clock = SkippingClock::default();
    let client = client_builder(&service).clock(clock.clone()).jitter(|| 0.0);
    let client = client.build().unwrap();
    let outcome = client.badges().await.map(drop);
    (outcome, clock.waits(), requests(&service))
}

#[tokio::test]
async fn waits_for_retry_after_up_to_max_wait() {
    for (retry_after, milliseconds) in [("0", 50), ("7", 7_000), ("30", 30_000)] {
        let (outcome, waits, requests) = call_with_retry_after(retry_after).await;
        outcome.unwrap();
        assert_eq!(waits, [Duration::from_millis(milliseconds)]);
        assert_eq!(requests, 2);
    }
    let soon = httpdate::fmt_http_date(SystemTime::now() + 20 * SECOND);
    let (outcome, waits, _) = call_with_retry_after(&soon).await;
    outcome.unwrap();
    // HTTP dates have whole seconds, and some time passes before the service responds.
    assert!((15 * SECOND..=20 * SECOND).contains(&waits[0]), "{waits:?}");
    let most = ("100000000000000000000", 365 * 86_400);
    for (retry_after, seconds) in [("31", 31), ("100000", 100_000), most] {
        let (outcome, waits, requests) = call_with_retry_after(retry_after).await;
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RateLimited);
        assert_eq!(error.retry_after().unwrap().as_secs(), seconds);
        assert!(error.to_string().contains("; retry after "), "{error}");
        assert_eq!((waits.len(), requests), (0, 1));
    }
}

#[tokio::test]
async fn a_429_does_not_consume_a_retry() {
    let service = MockServer::start().await;
    for fault in [Fault::rate_limited("1"), Fault::status(503)] {
        service.add_fault(FaultRule::new(fault).times(10)).unwrap();
    }
    let client = connect_as_owner(&service);
    let error = client.me().await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(503), 14));

    service.clear_faults();
    add_fault(&service, FaultRule::new(Fault::rate_limited("1")).times(1));
    let once = client.me().retry(RetryPolicy::none());
    let error = once.await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(429), 1));
}

#[tokio::test]
async fn a_429_without_a_wait_cannot_cause_a_loop() {
    // 50 ms, doubled up to 5 seconds, within 60 seconds; without a maximum wait, none.
    for (policy, attempts) in [
        (RetryPolicy::new(), 18),
        (RetryPolicy::new().max_wait(Duration::ZERO), 1),
    ] {
        for retry_after in ["0", "Thu, 01 Jan 1970 00:00:00 GMT", "none"] {
            let service = MockServer::start().await;
            add_fault(&service, FaultRule::new(Fault::rate_limited(retry_after)));
            let client = client_builder(&service).jitter(|| 0.0).build().unwrap();
            // With the clock of the test, more attempts would never reach the total timeout.
            let call = tokio::time::timeout(10 * SECOND, client.badges().retry(policy));
            let error = call.await.unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::RateLimited);
            assert_eq!(
                (error.attempts(), requests(&service)),
                (attempts, attempts as usize)
            );
        }
    }
}

#[tokio::test]
async fn the_total_timeout_ends_a_call() {
    let service = MockServer::start().await;
    let busy = Fault::status(503).with_header("retry-after", "20");
    service.add_fault(FaultRule::new(busy)).unwrap();
    let client = connect_as_owner(&service);
    let call = client.me().retry(RetryPolicy::new().max_retries(100));
    let error = call.total_timeout(60 * SECOND).await.unwrap_err();
    assert_eq!(error.status(), Some(503));
    assert_eq!(error.retry_after(), Some(20 * SECOND));
    // Another wait would end with the timeout.
    assert_eq!((error.attempts(), requests(&service)), (3, 3));
    assert_eq!(error.elapsed(), 40 * SECOND);
}

#[tokio::test]
async fn the_retry_budget_limits_retries() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)));
    let client = client_builder(&service).retry_budget(4).build().unwrap();
    for attempts in [4, 2, 1, 1] {
        let clone = client.clone();
        let error = clone.badges().await.unwrap_err();
        assert_eq!(error.attempts(), attempts);
        // Without a retry left, there is no wait.
        assert_eq!(error.elapsed().is_zero(), attempts == 1);
        let reason = "; not retried, because the client has no retry budget left";
        assert_eq!(error.to_string().contains(reason), attempts < 4, "{error}");
    }
    // Ten successes restore one retry.
    service.clear_faults();
    for _ in 0..10 {
        client.badges().await.unwrap();
    }
    add_fault(&service, FaultRule::new(Fault::status(503)));
    assert_eq!(client.badges().await.unwrap_err().attempts(), 2);
}

#[tokio::test]
async fn a_call_can_be_canceled() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)).times(1));
    let client = owner_builder(&service).clock(TestClock::manual());
    let client = client.build().unwrap();
    let waiting = tokio::spawn(client.me());
    let (journal, any) = (service.journal(), RequestPattern::any());
    journal.wait(&any, 1, 10 * SECOND).await.unwrap();
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    client.me().await.unwrap();
    assert_eq!(requests(&service), 2);
}
