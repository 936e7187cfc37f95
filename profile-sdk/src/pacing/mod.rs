//! Decides when a request can be sent.

pub(crate) mod clock;
mod rate_limit_status;
pub(crate) mod rate_limiter;
pub(crate) mod shared_rate_limit;

pub use clock::Clock;
pub use rate_limit_status::RateLimitStatus;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::Error;
use crate::pacing::rate_limit_status::RateLimitHeaders;
use crate::pacing::rate_limiter::RateLimiter;
use crate::pacing::shared_rate_limit::SharedRateLimit;
use crate::retry::budget::RetryBudget;
use crate::retry::jitter::Jitter;
use crate::retry::retry_after::read_retry_after;
use crate::transport::raw_response::RawResponse;

/// The clock, rate limit and retry budget of one key, which all clones of a client share.
pub(crate) struct Pacing {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jitter: Jitter,
    pub(crate) rate_limit: SharedRateLimit,
    pub(crate) rate_limiter: Option<RateLimiter>,
    pub(crate) retry_budget: RetryBudget,
}

impl Pacing {
    /// Creates the state of a key that has not been used yet.
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        jitter: Jitter,
        request_interval: Duration,
        retry_budget: u32,
    ) -> Self {
        let interval = (!request_interval.is_zero()).then_some(request_interval);
        Self {
            clock,
            jitter,
            rate_limit: SharedRateLimit::default(),
            rate_limiter: interval.map(RateLimiter::new),
            retry_budget: RetryBudget::new(retry_budget),
        }
    }

    /// Waits until the next request can be sent and returns the time then. Returns an error at once
    /// if the wait would be too long.
    pub(crate) async fn admit(
        &self,
        mut now: Instant,
        deadline: Instant,
        max_wait: Duration,
    ) -> Result<Instant, Error> {
        // Check again after each wait: another request may have met a 429 meanwhile.
        while let Some(wait) = self.rate_limit.wait(now) {
            if wait > max_wait || wait >= deadline.saturating_duration_since(now) {
                return Err(Error::rate_limited(wait));
            }
            self.clock.sleep(wait).await;
            now = self.clock.now();
        }
        if let Some(rate_limiter) = &self.rate_limiter {
            let permit = rate_limiter
                .reserve(now, deadline.saturating_duration_since(now))
                .map_err(Error::interval_exceeds_deadline)?;
            if !permit.wait.is_zero() {
                self.clock.sleep(permit.wait).await;
                now = self.clock.now();
                // The sleep may last longer than requested.
                if now >= deadline {
                    return Err(Error::interval_exceeds_deadline(Duration::ZERO));
                }
            }
            permit.consume();
        }
        Ok(now)
    }

    /// Returns the time until the deadline.
    pub(crate) fn until(&self, deadline: Instant) -> Duration {
        deadline.saturating_duration_since(self.clock.now())
    }

    /// Updates the rate limit from the headers of a response.
    pub(crate) fn update(&self, response: &RawResponse) {
        if let Some(headers) = self.rate_limit_headers(response) {
            self.rate_limit.update(headers, self.clock.now());
        }
    }

    /// Returns the wait that a failed response requests: its `Retry-After`, or for a 429 without
    /// it, the time until the window of the rate limit ends.
    pub(crate) fn retry_after(&self, response: &RawResponse) -> Option<Duration> {
        let retry_after = response.header("retry-after");
        let retry_after =
            retry_after.and_then(|text| read_retry_after(text, self.response_date(response)));
        match response.status {
            429 => retry_after.or_else(|| self.rate_limit_headers(response)?.reset_after),
            _ => retry_after,
        }
    }

    fn rate_limit_headers(&self, response: &RawResponse) -> Option<RateLimitHeaders> {
        RateLimitHeaders::read(&response.headers, || self.response_date(response))
    }

    /// Returns the date of a response, because its other dates use the clock of the service.
    fn response_date(&self, response: &RawResponse) -> SystemTime {
        let date = response.header("date");
        date.and_then(|text| httpdate::parse_http_date(text).ok())
            .unwrap_or_else(|| self.clock.date())
    }
}
