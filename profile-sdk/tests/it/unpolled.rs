//! Calls that nobody polls while others wait.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::poll;
use futures_util::stream::{self, StreamExt as _};
use profile_sdk::testing::TestClock;
use profile_sdk::{ApiKey, Badge, Call, Client, ClientBuilder, Clock, HttpService, SystemClock};
use tokio::time::{Instant, advance, sleep};
use tower::layer::layer_fn;
use tower::service_fn;

use crate::client_builder_for;
use crate::clock::SkippingClock;

/// Returns the clocks, with the time to a response. A `TestClock` stands still while a request is in flight.
fn clocks() -> [(Arc<dyn Clock>, Duration); 3] {
    let time = Duration::from_millis(10);
    [
        (Arc::new(SystemClock), time),
        (Arc::new(SkippingClock::default()), time),
        (Arc::new(TestClock::new()), Duration::ZERO),
    ]
}

/// Returns a builder for a client of a service that allows two requests per second, if it has a limit, and reports
/// that in headers or not.
fn builder(clock: &Arc<dyn Clock>, time: Duration, limit: Option<bool>) -> ClientBuilder {
    let window = Arc::new(Mutex::new((clock.now(), 0_u32)));
    let now = clock.clone();
    let respond = move |_: http::Request<bytes::Bytes>| {
        let mut window = window.lock().unwrap();
        if now.now() - window.0 >= Duration::from_secs(1) {
            *window = (now.now(), 0);
        }
        window.1 += 1;
        let is_limited = limit.is_some() && window.1 > 2;
        let mut response = http::Response::builder().status(if is_limited { 429 } else { 200 });
        if limit == Some(true) {
            let headers = response.headers_mut().unwrap();
            headers.insert("retry-after", 1.into());
            headers.insert("ratelimit-reset", 1.into());
            let remaining = 2_u32.saturating_sub(window.1);
            headers.insert("ratelimit-remaining", remaining.into());
        }
        async move {
            if !time.is_zero() {
                sleep(time).await;
            }
            response.body(r#"{"data":[]}"#.to_owned())
        }
    };
    let fake = layer_fn(move |_: HttpService| service_fn(respond.clone()));
    let builder = client_builder_for("https://profiles.example").layer(fake);
    builder.clock(clock.clone())
}

/// Makes the calls, three at once, and another one after each, while nobody polls them.
async fn in_a_buffer(calls: Vec<Call<Vec<Badge>>>, other: &Client) {
    let mut calls = stream::iter(calls).buffer_unordered(3);
    while let Some(result) = calls.next().await {
        result.unwrap();
        other.badges().await.unwrap();
    }
}

/// Awaits one of two calls, then another one, and then the rest.
async fn in_a_selection(mut one: Call<Vec<Badge>>, mut two: Call<Vec<Badge>>, other: &Client) {
    let (result, rest) = tokio::select! {
        result = &mut one => (result, two),
        result = &mut two => (result, one),
    };
    result.unwrap();
    other.badges().await.unwrap();
    rest.await.unwrap();
}

/// Polls the calls once, makes others, and then awaits them.
async fn kept(mut calls: Vec<Call<Vec<Badge>>>, other: &Client) {
    for call in &mut calls {
        assert!(poll!(call).is_pending());
    }
    for _ in 0..4 {
        other.badges().await.unwrap();
    }
    for call in calls {
        call.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn accounts_with_an_interval_do_not_wait_for_them() {
    for (clock, time) in clocks() {
        let shared =
            builder(&clock, time, None).shared_request_interval(Duration::from_millis(200));
        let shared = shared.build().unwrap();
        let account = |number| shared.with_api_key(ApiKey::new(format!("key-{number}")).unwrap());
        let calls = |count| (1..=count).map(|number| account(number).badges()).collect();
        let other = account(0);
        in_a_buffer(calls(6), &other).await;
        in_a_selection(account(1).badges(), account(2).badges(), &other).await;
        kept(calls(3), &other).await;
    }
}

#[tokio::test(start_paused = true)]
async fn calls_under_a_rate_limit_do_not_wait_for_them() {
    for has_headers in [true, false] {
        for (clock, time) in clocks() {
            let client = || builder(&clock, time, Some(has_headers)).build().unwrap();
            let calls = |client: &Client, count| (0..count).map(|_| client.badges()).collect();
            let shared = client();
            in_a_buffer(calls(&shared, 12), &shared).await;
            let shared = client();
            in_a_selection(shared.badges(), shared.badges(), &shared).await;
            let shared = client();
            shared.badges().await.unwrap();
            shared.badges().await.unwrap();
            kept(calls(&shared, 3), &shared).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_wait_for_them_while_all_can_start() {
    let time = Duration::from_millis(10);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let client = builder(&clock, time, None).build().unwrap();
    let mut calls: Vec<_> = (0..20).map(|_| client.badges()).collect();
    for call in &mut calls {
        assert!(poll!(call).is_pending());
    }
    // Only 16 start at once; the others wait.
    let waiting = calls.split_off(16);
    for call in calls {
        call.await.unwrap();
    }
    let start = Instant::now();
    client.badges().await.unwrap();
    assert_eq!(start.elapsed(), time);
    for call in waiting {
        call.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_starts_after_those_that_wait_for_an_interval() {
    let (interval, time) = (Duration::from_millis(200), Duration::from_millis(10));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let client = builder(&clock, time, None).request_interval(interval);
    let client = client.build().unwrap();
    client.badges().await.unwrap();
    let (mut first, mut second) = (client.badges(), client.badges());
    assert!(poll!(&mut first).is_pending());
    advance(interval).await;
    assert!(poll!(&mut second).is_pending());
    let start = Instant::now();
    first.await.unwrap();
    assert_eq!(start.elapsed(), time);
    second.await.unwrap();
}
