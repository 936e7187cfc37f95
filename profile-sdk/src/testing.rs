//! Errors, responses and a clock for tests of your program; feature `testing`.
//!
//! A program that calls the service behind a trait of its own can be tested with a fake that returns
//! any response and any error:
//!
//! ```
//! use profile_sdk::testing::ErrorBuilder;
//! use profile_sdk::{Error, ErrorKind, Operation, Post};
//!
//! trait Posts {
//!     fn publish(&self, text: &str) -> impl Future<Output = Result<Option<Post>, Error>> + Send;
//! }
//!
//! /// Fails with a timeout, after which the post may exist.
//! struct Unclear;
//!
//! impl Posts for Unclear {
//!     async fn publish(&self, _: &str) -> Result<Option<Post>, Error> {
//!         let error = ErrorBuilder::new(ErrorKind::Timeout).operation(Operation::CREATE_POST);
//!         Err(error.build())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let error = Unclear.publish("Hello").await.unwrap_err();
//! assert!(error.may_have_been_applied());
//! # });
//! ```

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{HeaderName, HeaderValue};
use tokio::sync::Notify;
use tokio::task::yield_now;

use crate::call::Response;
use crate::error::{
    AttemptSummary, CANCELED, Effect, Error, ErrorKind, RawResponse, read_error_body,
};
use crate::json::Body;
use crate::pacing::Clock;
use crate::request::Operation;

/// A builder for an [`Error`] of any kind.
///
/// ```
/// use profile_sdk::testing::ErrorBuilder;
/// use profile_sdk::{ErrorKind, Operation};
///
/// let error = ErrorBuilder::new(ErrorKind::Timeout)
///     .operation(Operation::CREATE_LINK)
///     .build();
/// assert!(error.may_have_been_applied());
/// assert!(!error.is_retryable());
///
/// let error = ErrorBuilder::new(ErrorKind::Service).status(503).build();
/// assert_eq!(error.status(), Some(503));
/// ```
#[derive(Debug)]
#[must_use]
pub struct ErrorBuilder {
    error: Error,
    may_have_been_applied: Option<bool>,
}

impl ErrorBuilder {
    /// Creates a builder with the status code that is typical for the kind, if it has one.
    pub fn new(kind: ErrorKind) -> Self {
        let (status, reason) = match kind {
            ErrorKind::Invalid => (None, "a value is invalid"),
            ErrorKind::KeyMissing => (None, "this call requires an API key"),
            ErrorKind::Connection => (None, "could not connect, so nothing was sent"),
            ErrorKind::Timeout => (None, "no complete response within 30 seconds"),
            ErrorKind::ResponseLost => (
                None,
                "the connection was lost before the response was complete",
            ),
            ErrorKind::Redirected => (Some(307), ""),
            ErrorKind::Unauthorized => (Some(401), ""),
            ErrorKind::Forbidden => (Some(403), ""),
            ErrorKind::NotFound => (Some(404), ""),
            ErrorKind::RateLimited => (Some(429), ""),
            ErrorKind::Rejected => (Some(422), ""),
            ErrorKind::Service => (Some(500), ""),
            ErrorKind::TooLarge => (Some(200), "the response is larger than the maximum"),
            ErrorKind::Unreadable => (Some(200), "the response could not be decoded"),
            ErrorKind::Canceled => (None, CANCELED),
        };
        let mut error = Error::new(kind, reason);
        error.inner.response = status.map(response_with);
        Self {
            error,
            may_have_been_applied: None,
        }
    }

    /// Sets the endpoint that was called. Default: none.
    pub fn operation(mut self, operation: Operation) -> Self {
        self.error = self.error.with_operation(&operation);
        self
    }

    /// Sets the handle or ID that the call was about. Default: none.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.error.inner.resource = Some(resource.into());
        self
    }

    /// Sets the status code of the response. Does not change the kind.
    pub fn status(mut self, status: u16) -> Self {
        self.response().status = status;
        self
    }

    /// Adds a header to the response, for example `x-request-id`.
    ///
    /// # Panics
    ///
    /// Panics if the name or the value is not valid in HTTP.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        add_header(self.response(), name, value);
        self
    }

    /// Sets the body of the response, which contains its message, code and field errors.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.response().body = Body::new(body.into());
        self
    }

    /// Sets how long to wait before the next attempt. Default: none.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.error.inner.retry_after = Some(wait);
        self
    }

    /// Sets the number of requests sent and the duration of the call. Default: zero.
    pub fn attempts(mut self, attempts: u32, elapsed: Duration) -> Self {
        self.error.inner.summary.attempts = attempts;
        self.error.inner.summary.tries = attempts;
        self.error.inner.summary.elapsed = elapsed;
        self
    }

    /// Sets the result of [`Error::may_have_been_applied`]. Default: as the kind, the status code and the
    /// operation imply; without an operation, as for a write. A read is never applied.
    pub fn may_have_been_applied(mut self, applied: bool) -> Self {
        self.may_have_been_applied = Some(applied);
        self
    }

    /// Creates the error.
    #[must_use]
    pub fn build(self) -> Error {
        let mut error = self.error;
        let inner = &mut error.inner;
        let response = inner.response.as_ref();
        let status = response.map(|response| response.status);
        if let Some(response) = response.filter(|response| response.status >= 300) {
            inner.body = read_error_body(&response.body.bytes);
        }
        (inner.effect, inner.again) = inner.kind.consequence(status);
        if let Some(applied) = self.may_have_been_applied {
            inner.effect = match applied {
                true => Effect::Unclear,
                false => Effect::Rejected,
            };
        }
        error
    }

    fn response(&mut self) -> &mut RawResponse {
        let response = &mut self.error.inner.response;
        response.get_or_insert_with(|| response_with(200))
    }
}

/// A builder for a [`Response`], as [`Call::send`](crate::Call::send) returns it.
///
/// ```
/// use profile_sdk::Link;
/// use profile_sdk::testing::ResponseBuilder;
///
/// let mut link = Link::default();
/// link.title = Some("My site".to_owned());
/// let response = ResponseBuilder::new(link)
///     .status(201)
///     .header("x-request-id", "r-1")
///     .build();
/// assert_eq!(response.request_id(), Some("r-1"));
/// assert_eq!(response.into_data().title.as_deref(), Some("My site"));
/// ```
#[derive(Debug)]
#[must_use]
pub struct ResponseBuilder<T> {
    response: Response<T>,
}

impl<T> ResponseBuilder<T> {
    /// Creates a builder for a response with status code 200, without headers and body, after one
    /// attempt that took no time.
    pub fn new(data: T) -> Self {
        let raw = response_with(200);
        let summary = AttemptSummary {
            attempts: 1,
            ..AttemptSummary::default()
        };
        let response = Response { data, raw, summary };
        Self { response }
    }

    /// Sets the status code.
    pub fn status(mut self, status: u16) -> Self {
        self.response.raw.status = status;
        self
    }

    /// Adds a header.
    ///
    /// # Panics
    ///
    /// Panics if the name or the value is not valid in HTTP.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        add_header(&mut self.response.raw, name, value);
        self
    }

    /// Sets the body. Does not change the data.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.response.raw.body = Body::new(body.into());
        self
    }

    /// Sets the number of requests sent and the duration of the call.
    pub fn attempts(mut self, attempts: u32, elapsed: Duration) -> Self {
        self.response.summary.attempts = attempts;
        self.response.summary.elapsed = elapsed;
        self
    }

    /// Creates the response.
    #[must_use]
    pub fn build(self) -> Response<T> {
        self.response
    }
}

/// Returns a response without headers and body.
fn response_with(status: u16) -> RawResponse {
    RawResponse {
        status,
        ..RawResponse::default()
    }
}

fn add_header(response: &mut RawResponse, name: &str, value: &str) {
    let name = HeaderName::from_bytes(name.as_bytes()).expect("a valid header name");
    let value = HeaderValue::from_str(value).expect("a valid header value");
    response.headers.append(name, value);
}

/// A clock that advances instead of waiting, so that retries and rate limits take no time in tests.
///
/// Waits that overlap end in the order of their times, as in reality: two of one second take one second
/// together. The clock advances to the end of the earliest when no client with this clock has an attempt in
/// flight, and the other tasks that are ready have had several turns.
///
/// Clones share their time. The timeout of a single attempt does not use this clock, and neither do layers:
/// a wait of this clock within an attempt only ends when the test [advances](Self::advance) it. The clock does
/// not see tasks that wait for something else, for example a file or a channel of another thread, or
/// that run on other threads, as with a multi-threaded runtime and with [`blocking`](crate::blocking)
/// clients in several threads: it may advance before they begin their next wait. Use a
/// [manual](Self::manual) clock there. An attempt that nobody polls keeps the clock from advancing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use mock_server::{Fault, FaultRule, MockServer};
/// use profile_sdk::Client;
/// use profile_sdk::testing::TestClock;
///
/// let service = MockServer::start().await;
/// service.add_fault(FaultRule::new(Fault::status(503)).times(2))?;
/// let clock = TestClock::new();
/// let client = Client::builder()
///     .base_url(service.uri())
///     .clock(clock.clone())
///     .jitter(|| 1.0)
///     .build()?;
/// client.site_stats().await?;
/// assert_eq!(clock.waits(), [Duration::from_millis(100), Duration::from_millis(200)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TestClock {
    started: (Instant, SystemTime),
    state: Arc<Mutex<State>>,
    /// Wakes the waits that cannot advance the clock themselves.
    changed: Arc<Notify>,
    on_advance: Arc<dyn Fn(Duration) + Send + Sync>,
}

#[derive(Default)]
struct State {
    elapsed: Duration,
    waits: Vec<Duration>,
    /// The ends of the waits, which are in progress while their references are alive.
    ends: Vec<(Duration, Weak<()>)>,
    /// The number of attempts in flight.
    in_flight: usize,
    /// The number of changes of this state so far.
    changes: u64,
}

/// The number of turns of other tasks without a change, after which the clock advances. A task that becomes
/// ready may first wake another one, which then starts an attempt.
const TURNS: u32 = 10;

impl TestClock {
    /// Creates a clock that starts at the current time.
    #[must_use]
    pub fn new() -> Self {
        Self {
            started: (Instant::now(), SystemTime::now()),
            state: Arc::default(),
            changed: Arc::default(),
            on_advance: Arc::new(|_| {}),
        }
    }

    /// Creates a clock that starts at the current time, and whose waits only end when
    /// [`advance`](Self::advance) reaches their ends.
    #[must_use]
    pub fn manual() -> Self {
        let clock = Self::new();
        // One that never ends.
        clock.attempt(true);
        clock
    }

    /// Sets a function that is called before the clock advances, with the duration, for example to
    /// advance the clock of a mock server too.
    #[must_use]
    pub fn on_advance(mut self, advance: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.on_advance = Arc::new(advance);
        self
    }

    /// Advances the clock. Ends the waits whose time has passed.
    pub fn advance(&self, duration: Duration) {
        (self.on_advance)(duration);
        self.change(|state| state.elapsed += duration);
        self.changed.notify_waiters();
    }

    /// Returns the time since the clock was created: that of the waits, and what
    /// [`advance`](Self::advance) added.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.state().elapsed
    }

    /// Returns all waits of the client that have ended, in order.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        self.state().waits.clone()
    }

    /// Waits until the clock has reached a time, and advances it if nothing else is going on.
    async fn wait_until(&self, end: Duration) {
        let (mut seen, mut turns) = (0, 0);
        loop {
            let changed = self.changed.notified();
            let step = {
                let mut state = self.state();
                let elapsed = state.elapsed;
                if elapsed >= end {
                    return;
                }
                turns = if seen == state.changes { turns + 1 } else { 0 };
                // Waits that have ended may not have been polled yet.
                let ends = &mut state.ends;
                ends.retain(|(end, wait)| *end > elapsed && wait.strong_count() > 0);
                let first = ends.iter().map(|(end, _)| *end - elapsed).min();
                // Of several threads, only one advances the clock.
                state.changes += u64::from(turns == TURNS);
                seen = state.changes;
                first.filter(|_| state.in_flight == 0)
            };
            match step {
                Some(step) if turns == TURNS => self.advance(step),
                Some(_) => yield_now().await,
                None => changed.await,
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        state.changes += 1;
        change(&mut state);
    }

    /// The state is valid even if another thread panicked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        self.started.0 + self.elapsed()
    }

    fn date(&self) -> SystemTime {
        self.started.1 + self.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let clock = self.clone();
        let end = self.elapsed().saturating_add(duration);
        Box::pin(async move {
            let wait = Arc::new(());
            let in_progress = (end, Arc::downgrade(&wait));
            clock.change(|state| state.ends.push(in_progress));
            clock.wait_until(end).await;
            clock.change(|state| state.waits.push(duration));
        })
    }

    fn attempt(&self, is_in_flight: bool) {
        self.change(|state| match is_in_flight {
            true => state.in_flight += 1,
            false => state.in_flight = state.in_flight.saturating_sub(1),
        });
        self.changed.notify_waiters();
    }
}

impl fmt::Debug for TestClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TestClock").field(&self.elapsed()).finish()
    }
}
