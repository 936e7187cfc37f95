//! Many tasks that share a client under a tight rate limit.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, ResponseTemplate};
use profile_sdk::{Client, Clock as _, Error};
use tokio::task::JoinSet;

use crate::client_builder;
use crate::clock::SkippingClock;
use crate::mocked_service::MockServer;

const LIMIT: u32 = 10;
const WINDOW: Duration = Duration::from_secs(1);

/// The headers that a service sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Headers {
    /// `X-RateLimit-Reset` in seconds, rounded up, and an exact `Retry-After`.
    Seconds,
    /// `X-RateLimit-Reset` in Unix time.
    UnixSeconds,
    /// `X-RateLimit-Reset` in seconds, rounded down.
    RoundedDown,
    /// `X-RateLimit-*` about an hour that is not exhausted, although requests are rejected.
    OfAnotherLimit,
    /// The same without `Retry-After`.
    OnlyOfAnotherLimit,
    RetryAfterOnly,
    RetryAfterZero,
    None,
}

/// A service that allows 10 requests per second.
struct Limited {
    clock: SkippingClock,
    headers: Headers,
    window: Mutex<Window>,
}

struct Window {
    start: Instant,
    used: u32,
    requests: u32,
}

impl Limited {
    async fn start(headers: Headers) -> (MockServer, Arc<Self>) {
        let clock = SkippingClock::default();
        let window = Mutex::new(Window {
            start: clock.now(),
            used: 0,
            requests: 0,
        });
        let limited = Arc::new(Self {
            clock,
            headers,
            window,
        });
        let (service, responder) = (MockServer::start().await, limited.clone());
        let respond = move |_: &mock_server::wiremock::Request| responder.respond();
        let mock = Mock::given(any()).respond_with(respond);
        mock.mount(service.wiremock()).await;
        (service, limited)
    }

    fn respond(&self) -> ResponseTemplate {
        let mut window = self.window.lock().unwrap();
        let now = self.clock.now();
        if now.duration_since(window.start) >= WINDOW {
            (window.start, window.used) = (now, 0);
        }
        window.requests += 1;
        let response = if window.used < LIMIT {
            window.used += 1;
            ResponseTemplate::new(200).set_body_string(r#"{"data":[]}"#)
        } else {
            ResponseTemplate::new(429)
        };
        let left = WINDOW - now.duration_since(window.start);
        self.add_headers(response, LIMIT - window.used, left)
    }

    fn add_headers(
        &self,
        response: ResponseTemplate,
        remaining: u32,
        left: Duration,
    ) -> ResponseTemplate {
        let date = httpdate::fmt_http_date(self.clock.date());
        let response = response.insert_header("date", date);
        let reset = self.clock.date() + left;
        let reset = reset.duration_since(std::time::UNIX_EPOCH).unwrap();
        let up = |duration: Duration| duration.as_secs_f64().ceil().to_string();
        let limited = |response: ResponseTemplate| {
            response
                .insert_header("x-ratelimit-limit", LIMIT.to_string())
                .insert_header("x-ratelimit-remaining", remaining.to_string())
        };
        let other = |response: ResponseTemplate| {
            response
                .insert_header("x-ratelimit-limit", "5000")
                .insert_header("x-ratelimit-remaining", "4999")
                .insert_header("x-ratelimit-reset", "3600")
        };
        match self.headers {
            Headers::Seconds => limited(response)
                .insert_header("x-ratelimit-reset", up(left))
                .insert_header("retry-after", left.as_secs_f64().to_string()),
            Headers::UnixSeconds => limited(response).insert_header("x-ratelimit-reset", up(reset)),
            Headers::RoundedDown => limited(response).insert_header("x-ratelimit-reset", "0"),
            Headers::OfAnotherLimit => other(response).insert_header("retry-after", up(left)),
            Headers::OnlyOfAnotherLimit => other(response),
            Headers::RetryAfterOnly => response.insert_header("retry-after", up(left)),
            Headers::RetryAfterZero => response.insert_header("retry-after", "0"),
            Headers::None => response,
        }
    }

    fn requests(&self) -> u32 {
        self.window.lock().unwrap().requests
    }
}

/// Makes calls in many tasks at once. Returns the errors.
async fn crowd(client: &Client, tasks: usize, calls: usize) -> Vec<Error> {
    let mut crowd = JoinSet::new();
    for _ in 0..tasks {
        let client = client.clone();
        crowd.spawn(async move {
            let mut errors = Vec::new();
            for _ in 0..calls {
                errors.extend(client.badges().await.err());
            }
            errors
        });
    }
    crowd.join_all().await.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_crowd_loses_no_call() {
    for (headers, max_requests, max_seconds) in [
        (Headers::Seconds, 260, 45),
        (Headers::UnixSeconds, 260, 45),
        (Headers::RoundedDown, 450, 45),
        (Headers::OfAnotherLimit, 400, 45),
        (Headers::OnlyOfAnotherLimit, 600, 60),
        (Headers::RetryAfterOnly, 400, 45),
        (Headers::RetryAfterZero, 600, 60),
        (Headers::None, 270, 30),
    ] {
        let runs = [(200, 1), (20, 10), (200, 1), (20, 10)];
        let mut requests = 0;
        for (tasks, calls) in runs {
            let (service, limited) = Limited::start(headers).await;
            let clock = limited.clock.clone();
            let client = client_builder(&service).clock(clock).build().unwrap();
            let started = limited.clock.now();
            let errors = crowd(&client, tasks, calls).await;
            let seconds = limited.clock.now().duration_since(started).as_secs();
            assert!(errors.is_empty(), "{headers:?}: {errors:?}");
            assert!(seconds <= max_seconds, "{headers:?}: {seconds} seconds");
            requests += limited.requests();
        }
        // A single run may send a tenth more than the mean, depending on the order in which the tasks run.
        let mean = requests / u32::try_from(runs.len()).unwrap();
        assert!(mean <= max_requests, "{headers:?}: {mean} requests");
    }
}
