//! When a request may be sent: what all clones of a client know of time and limits.

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

/// Shared by all clones of a client.
pub(crate) struct Pacing {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jitter: Jitter,
    pub(crate) rate_limit: SharedRateLimit,
    pub(crate) rate_limiter: Option<RateLimiter>,
    pub(crate) retry_budget: RetryBudget,
}

impl Pacing {
    /// Waits until the next request may be sent, or says at once that this would take too long;
    /// gives the time that it is then.
    pub(crate) async fn admit(
        &self,
        mut now: Instant,
        deadline: Instant,
        max_wait: Duration,
    ) -> Result<Instant, Error> {
        // While one request waits, another may meet a 429 that holds both back for longer.
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
                // A busy machine may wake it too late.
                if now >= deadline {
                    return Err(Error::interval_exceeds_deadline(Duration::ZERO));
                }
            }
            permit.consume();
        }
        Ok(now)
    }

    /// What is left until then.
    pub(crate) fn until(&self, deadline: Instant) -> Duration {
        deadline.saturating_duration_since(self.clock.now())
    }

    /// Remembers what a response tells of the rate limit.
    pub(crate) fn update(&self, response: &RawResponse) {
        if let Some(headers) = self.rate_limit_headers(response) {
            self.rate_limit.update(headers, self.clock.now());
        }
    }

    /// The wait that a refusal asks for: its `Retry-After`, or for want of one the time until the
    /// window ends whose limit it says is exceeded.
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

    /// When the response was made, by the service's clock if it tells: a date in it is by that clock.
    fn response_date(&self, response: &RawResponse) -> SystemTime {
        let date = response.header("date");
        date.and_then(|text| httpdate::parse_http_date(text).ok())
            .unwrap_or_else(|| self.clock.date())
    }
}
