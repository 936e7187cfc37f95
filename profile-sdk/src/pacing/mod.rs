//! Decides when a request can be sent, and holds the clock that measures it.

mod headers;
mod rate_limit_state;
mod rate_limiter;

pub use rate_limit_state::RateLimitStatus;
pub(crate) use rate_limiter::{Permit, RateLimiter, WaitLimits};

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::error::{ErrorKind, RawResponse};
use crate::retry::{Jitter, RetryBudget, RetryPolicy, wait_after_429};
use headers::{RateLimitHeaders, leading_number, read_retry_after};
use rate_limiter::Queue;

/// The maximum of durations that come from a service or are added to an `Instant`, which may not represent more.
pub(crate) const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The clock that a client uses for total timeouts and for waits between attempts.
///
/// Tests set their own with [`ClientBuilder::clock`](crate::ClientBuilder::clock), so that they do
/// not wait. The timeout of a single attempt does not use this clock.
///
/// ```
/// use std::future::Future;
/// use std::pin::Pin;
/// use std::sync::Mutex;
/// use std::time::{Duration, Instant, SystemTime};
///
/// use profile_sdk::{Client, Clock};
///
/// /// Advances instead of waiting.
/// #[derive(Default)]
/// struct SkippingClock {
///     skipped: Mutex<Duration>,
/// }
///
/// impl Clock for SkippingClock {
///     fn now(&self) -> Instant {
///         Instant::now() + *self.skipped.lock().unwrap()
///     }
///
///     fn date(&self) -> SystemTime {
///         SystemTime::now() + *self.skipped.lock().unwrap()
///     }
///
///     fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         *self.skipped.lock().unwrap() += duration;
///         Box::pin(std::future::ready(()))
///     }
/// }
///
/// let client = Client::builder()
///     .base_url("http://localhost:8080")
///     .clock(SkippingClock::default())
///     .jitter(|| 0.5)
///     .build()?;
/// # Ok::<(), profile_sdk::Error>(())
/// ```
pub trait Clock: Send + Sync {
    /// Returns a monotonic time.
    fn now(&self) -> Instant;

    /// Returns the system time. It is compared with dates in a response that has no `Date` header.
    fn date(&self) -> SystemTime;

    /// Completes after a duration. Dropping the future cancels the wait.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Receives `true` when an attempt of a client with this clock starts, and `false` when it ends or is
    /// canceled. Does nothing by default.
    fn attempt(&self, is_in_flight: bool) {
        let _ = is_in_flight;
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Instant {
        (**self).now()
    }

    fn date(&self) -> SystemTime {
        (**self).date()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        (**self).sleep(duration)
    }

    fn attempt(&self, is_in_flight: bool) {
        (**self).attempt(is_in_flight);
    }
}

/// The default clock of a client: that of the system, or of the tokio runtime if its time is paused.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn date(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// A wait of a call before its next attempt, passed to
/// [`ClientBuilder::on_wait`](crate::ClientBuilder::on_wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The time until the next attempt.
    pub duration: Duration,
    /// The kind of the error of the last attempt, or `RateLimited` before the first.
    pub reason: ErrorKind,
    /// The number of the retry that follows, from 1, or `None` for the rate limit, which does not count.
    pub retry: Option<u32>,
}

/// A function that is called before each wait.
pub(crate) type OnWait = Arc<dyn Fn(Wait) + Send + Sync>;

/// The settings that the keys of a client have in common.
#[derive(Clone)]
pub(crate) struct PacingSettings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jitter: Jitter,
    pub(crate) on_wait: Option<OnWait>,
    pub(crate) request_interval: Duration,
    pub(crate) shared_request_interval: Duration,
    pub(crate) retry_budget: u32,
}

/// The clock, the rate limit of one key and the retry budget, which all clones of a client share.
pub(crate) struct Pacing {
    pub(crate) settings: PacingSettings,
    pub(crate) rate_limiter: RateLimiter,
    /// Shared with the clients of other keys, because an outage affects all of them.
    pub(crate) retry_budget: Arc<RetryBudget>,
}

impl Pacing {
    /// Creates the state of a key that has not been used yet.
    pub(crate) fn new(settings: PacingSettings) -> Self {
        let shared_interval = settings.shared_request_interval;
        let shared =
            (!shared_interval.is_zero()).then(|| Arc::new(Queue::new(shared_interval, true)));
        Self {
            rate_limiter: RateLimiter::new(settings.request_interval, shared),
            retry_budget: Arc::new(RetryBudget::new(settings.retry_budget)),
            settings,
        }
    }

    /// Creates the state of another key for the same service.
    pub(crate) fn of_another_key(&self) -> Self {
        let shared = self.rate_limiter.shared.clone();
        Self {
            rate_limiter: RateLimiter::new(self.settings.request_interval, shared),
            retry_budget: Arc::clone(&self.retry_budget),
            settings: self.settings.clone(),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        self.settings.clock.now()
    }

    /// Ends a request and updates the rate limit from its response. Returns the wait that a response
    /// other than a 2xx requests: its `Retry-After`, or for a 429 without it, the time until the window
    /// of the rate limit ends.
    pub(crate) fn finish(
        &self,
        permit: Permit<'_>,
        response: &RawResponse,
        policy: &RetryPolicy,
    ) -> Option<Duration> {
        let date = || self.response_date(response);
        let is_success = (200..300).contains(&response.status);
        // The limits in a cached response are those of another request.
        let is_fresh = |_: &_| !is_success || age(response).is_zero();
        let headers = RateLimitHeaders::read(&response.headers, date).filter(is_fresh);
        let refused = Some(response).filter(|_| !is_success);
        let retry_after = refused.and_then(|response| response.header("retry-after"));
        let retry_after = retry_after.and_then(|text| read_retry_after(text, date()));
        if response.status != 429 {
            permit.finish(|state, started| state.accept(started, headers, || self.now()));
            return retry_after;
        }
        let retry_after = retry_after.or_else(|| {
            // While requests remain, the headers describe another limit.
            let exhausted =
                headers.filter(|headers| headers.remaining.is_none_or(|left| left == 0));
            exhausted?.reset_after
        });
        let now = self.now();
        let backoff = |pauses| wait_after_429(policy, pauses, (self.settings.jitter)());
        permit.finish(|state, started| {
            state.reject(started, headers, retry_after, backoff, policy.max_wait, now);
        });
        retry_after
    }

    /// Returns the date of a response, because its other dates use the clock of the service. If the
    /// clocks agree, returns the local date, which is more precise. A cache adds the age of the response.
    fn response_date(&self, response: &RawResponse) -> SystemTime {
        let local = self.settings.clock.date();
        let date = response.header("date");
        let date = date.and_then(|text| httpdate::parse_http_date(text).ok());
        let Some(date) = date else { return local };
        let aged = date.checked_add(age(response)).unwrap_or(date);
        match local.duration_since(aged) {
            // HTTP dates have whole seconds, rounded down.
            Ok(difference) if difference >= Duration::from_secs(1) => aged,
            Err(_) if local < date => aged,
            Ok(_) | Err(_) => local,
        }
    }
}

/// Returns the time that a response spent in a cache.
fn age(response: &RawResponse) -> Duration {
    let seconds = response.header("age").and_then(leading_number);
    Duration::from_secs(seconds.unwrap_or_default())
}

/// Reports the start and the end of an attempt to the clock.
pub(crate) struct InFlight<'a>(&'a Arc<dyn Clock>);

impl<'a> InFlight<'a> {
    pub(crate) fn new(clock: &'a Arc<dyn Clock>) -> Self {
        clock.attempt(true);
        Self(clock)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.attempt(false);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock as _, SystemClock};

    #[tokio::test(start_paused = true)]
    async fn system_clock_follows_a_paused_runtime() {
        const HOUR: Duration = Duration::from_secs(3600);
        let before = SystemClock.now();
        SystemClock.sleep(HOUR).await;
        assert!(SystemClock.now() - before >= HOUR);
    }
}
