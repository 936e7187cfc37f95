//! Clients of several accounts that share connections.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{ApiKey, Client, ErrorKind, RetryPolicy, Wait};
use tokio::task::JoinSet;

use crate::closed_connections::{Reaction, start_reacting};
use crate::{add_fault, client_builder, client_builder_for, connect, connect_to, requests};

fn key(text: &str) -> ApiKey {
    ApiKey::new(text).unwrap()
}

#[tokio::test]
async fn each_account_sends_its_own_key() {
    let service = MockServer::start().await;
    let shared = client_builder(&service).default_header("x-tenant", "blue");
    let shared = shared.build().unwrap();
    let error = shared.me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMissing);
    let owner = shared.with_api_key(key(service.key()));
    owner.me().await.unwrap();
    let stranger = owner.with_api_key(key("canary"));
    let error = stranger.me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    assert_eq!(stranger.redact_key("a canary"), "a [redacted]");
    assert!(!format!("{stranger:?}").contains("canary"));
    owner.me().await.unwrap();
    let tenant = RequestPattern::any().header("x-tenant", "blue");
    assert_eq!(service.journal().matching(&tenant).len(), 3);
}

#[tokio::test]
async fn accounts_share_connections() {
    let (uri, connections) = start_reacting(0, |_, _| Reaction::Respond(200)).await;
    let first = connect_to(&uri);
    first.me().await.unwrap();
    first.with_api_key(key("two")).me().await.unwrap();
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_rate_limit_holds_only_its_account() {
    let service = MockServer::start().await;
    let limited = connect(&service, service.key());
    let other = limited.with_api_key(key(service.key()));
    let rule = FaultRule::new(Fault::rate_limited("20")).times(1);
    service.add_fault(rule).unwrap();
    let call = limited.me().retry(RetryPolicy::none());
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::RateLimited);
    let pause = Some(Duration::from_secs(15));
    assert!(limited.rate_limit().retry_after > pause);
    assert!(limited.clone().rate_limit().retry_after > pause);
    assert_eq!(other.rate_limit().retry_after, None);
    other.me().await.unwrap();
}

#[tokio::test]
async fn an_outage_is_not_multiplied_by_the_number_of_accounts() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)));
    let shared = client_builder(&service).build().unwrap();
    let mut calls = JoinSet::new();
    // More calls than the budget has retries, but few enough for the usual limit of open files.
    for _ in 0..15 {
        let account = shared.with_api_key(key(service.key()));
        for _ in 0..8 {
            calls.spawn(account.me());
        }
    }
    assert!(calls.join_all().await.iter().all(Result::is_err));
    assert_eq!(requests(&service), 120 + 100);
}

#[test]
fn a_further_account_is_small() {
    let builder = client_builder_for("https://profiles.example");
    let first = builder.build().unwrap();
    let memory = allocation_counter::measure(|| {
        std::mem::forget(first.with_api_key(key("another")));
    });
    assert!(memory.bytes_current < 8_000, "{memory:?}");
}

/// The platform's root certificates take more than 100 kB.
#[cfg(feature = "__rustls")]
#[test]
fn root_certificates_are_loaded_once() {
    let url = "https://profiles.example";
    let build = || client_builder_for(url).build().unwrap();
    drop(build());
    let memory = allocation_counter::measure(|| drop(build()));
    assert!(memory.bytes_total < 50_000, "{memory:?}");
}

const INTERVAL: Duration = Duration::from_millis(200);

/// The starts of requests, with the account.
type Starts = Arc<Mutex<Vec<(Duration, String)>>>;

/// Creates a client with a shared interval, whose network is replaced: it rejects the first request of the
/// account `limited`, responds late to the account `many`, and records the starts. Also returns the reports
/// of waits.
#[cfg(feature = "tower")]
fn with_interval() -> (Client, Starts, mpsc::Receiver<Wait>) {
    let (starts, now) = (Starts::default(), tokio::time::Instant::now());
    let recorded = starts.clone();
    let respond = move |request: http::Request<bytes::Bytes>| {
        let account = request.headers()["authorization"].to_str().unwrap();
        let account = account.trim_start_matches("Bearer ").to_owned();
        let mut starts = recorded.lock().unwrap();
        let is_first = starts.iter().all(|(_, other)| *other != account);
        let is_limited = is_first && account == "limited";
        starts.push((now.elapsed(), account));
        let response = http::Response::builder().header("retry-after", "10");
        let response = response.status(if is_limited { 429 } else { 200 });
        let is_slow = starts[starts.len() - 1].1 == "many";
        async move {
            tokio::time::sleep(INTERVAL * u32::from(is_slow) * 7 / 2).await;
            response.body(r#"{"data":[]}"#.to_owned())
        }
    };
    let fake = move |_: profile_sdk::HttpService| tower::service_fn(respond.clone());
    let builder = Client::builder().base_url("https://profiles.example");
    let (reports, waits) = mpsc::channel();
    let builder = builder.shared_request_interval(INTERVAL);
    let builder = builder.on_wait(move |wait| _ = reports.send(wait));
    let client = builder.layer(tower::layer::layer_fn(fake)).build();
    (client.unwrap(), starts, waits)
}

/// Fails unless the requests start one after the other at the full rate, with a millisecond for the timers.
#[track_caller]
fn assert_full_rate(starts: &[(Duration, String)]) {
    let gaps = INTERVAL..INTERVAL + Duration::from_millis(2);
    for pair in starts.windows(2) {
        let gap = pair[1].0 - pair[0].0;
        assert!(gaps.contains(&gap), "{starts:?}");
    }
}

#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn accounts_share_an_interval_and_take_turns() {
    let (shared, starts, waits) = with_interval();
    let mut calls = JoinSet::new();
    for (account, count) in [("limited", 5), ("many", 1000), ("one", 50)] {
        let client = shared.with_api_key(key(account));
        for _ in 0..count {
            calls.spawn(client.badges().total_timeout(Duration::from_secs(999)));
        }
    }
    while starts.lock().unwrap().len() < 70 {
        calls.join_next().await.unwrap().unwrap().unwrap();
    }
    let starts = starts.lock().unwrap().clone();
    assert_full_rate(&starts);
    let of = |account: &str, starts: &[(Duration, String)]| {
        starts.iter().filter(|(_, name)| name == account).count()
    };
    let mut turns = starts[50..65].windows(3);
    assert!(turns.all(|turns| of("many", turns) == 1), "{starts:?}");
    // Each wait is reported once, however many responses arrive meanwhile.
    assert!(waits.try_iter().count() <= starts.len() + 1);
    // Two take turns while the other one pauses, and then all three.
    assert_eq!(of("one", &starts[..31]), 15);
    assert_eq!(of("limited", &starts[..50]), 1);
    assert_eq!(of("limited", &starts), 1 + 5, "{starts:?}");
}

#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn a_canceled_call_takes_no_turn() {
    let (shared, starts, _) = with_interval();
    let mut calls = ["one", "two", "three", "four"].map(|account| {
        let account = shared.with_api_key(key(account));
        Some(tokio::spawn(account.badges()))
    });
    calls[0].take().unwrap().await.unwrap().unwrap();
    for canceled in [1, 2] {
        tokio::task::yield_now().await;
        calls[canceled].take().unwrap().abort();
    }
    calls[3].take().unwrap().await.unwrap().unwrap();
    let starts = starts.lock().unwrap().clone();
    assert_eq!(starts.len(), 2);
    assert_full_rate(&starts);
}

#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn a_turn_after_the_deadline_is_an_error() {
    let (shared, starts, _) = with_interval();
    let account = |number| shared.with_api_key(key(&format!("key-{number}")));
    let accounts: Vec<_> = (0..50).map(account).collect();
    let call = |account: &Client| account.badges().total_timeout(5 * INTERVAL);
    let calls: Vec<_> = accounts.iter().map(call).collect();
    let results = futures_util::future::join_all(calls).await;
    let failed: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!((failed.len(), starts.lock().unwrap().len()), (45, 5));
    for error in failed {
        let found = (error.kind(), error.attempts());
        assert_eq!(found, (ErrorKind::RateLimited, 0), "{error}");
    }
}
