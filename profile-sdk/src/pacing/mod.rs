//! When a request may be sent: what all clones of a client know of time and limits.

pub(crate) mod clock;
pub(crate) mod rate_limit;
mod rate_limit_status;
pub(crate) mod steady_rate;

pub use clock::Clock;
pub use rate_limit_status::RateLimitStatus;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::Error;
use crate::pacing::rate_limit::SharedRateLimit;
use crate::pacing::rate_limit_status::RateLimitHeaders;
use crate::pacing::steady_rate::SteadyRate;
use crate::retry::budget::RetryBudget;
use crate::retry::jitter::Jitter;
use crate::retry::retry_after::read_retry_after;
use crate::transport::raw_response::RawResponse;

/// Shared by all clones of a client.
pub(crate) struct Pacing {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jitter: Jitter,
    pub(crate) rate_limit: SharedRateLimit,
    pub(crate) steady_rate: Option<SteadyRate>,
    pub(crate) retry_budget: RetryBudget,
}

impl Pacing {
    /// Waits until the next request may be sent, or says at once that this would take too long;
    /// gives the time that it is then.
    pub(crate) async fn admit(
        &self,
        mut now: Instant,
        deadline: Instant,
        longest: Duration,
    ) -> Result<Instant, Error> {
        // While one request waits, another may meet a 429 that holds both back for longer.
        while let Some(wait) = self.rate_limit.wait(now) {
            if wait > longest || wait >= deadline.saturating_duration_since(now) {
                return Err(Error::held_back(wait));
            }
            self.clock.sleep(wait).await;
            now = self.clock.now();
        }
        if let Some(steady_rate) = &self.steady_rate {
            let place = steady_rate
                .reserve(now, deadline.saturating_duration_since(now))
                .map_err(Error::out_of_turn)?;
            if !place.wait.is_zero() {
                self.clock.sleep(place.wait).await;
                now = self.clock.now();
                // A busy machine may wake it too late.
                if now >= deadline {
                    return Err(Error::out_of_turn(Duration::ZERO));
                }
            }
            place.take();
        }
        Ok(now)
    }

    /// What is left until then.
    pub(crate) fn until(&self, deadline: Instant) -> Duration {
        deadline.saturating_duration_since(self.clock.now())
    }

    /// Remembers what an answer tells of the rate limit.
    pub(crate) fn note(&self, answer: &RawResponse) {
        if let Some(told) = self.told_by(answer) {
            self.rate_limit.note(told, self.clock.now());
        }
    }

    /// The wait that a refusal asks for: its `Retry-After`, or for want of one the time until the
    /// window ends whose limit it says is exceeded.
    pub(crate) fn asked_by(&self, answer: &RawResponse) -> Option<Duration> {
        let asked = answer.header("retry-after");
        let asked = asked.and_then(|text| read_retry_after(text, self.date_of(answer)));
        match answer.status {
            429 => asked.or_else(|| self.told_by(answer)?.reset_after),
            _ => asked,
        }
    }

    fn told_by(&self, answer: &RawResponse) -> Option<RateLimitHeaders> {
        RateLimitHeaders::read(&answer.headers, || self.date_of(answer))
    }

    /// When the answer was made, by the service's clock if it tells: a date in it is by that clock.
    fn date_of(&self, answer: &RawResponse) -> SystemTime {
        let told = answer.header("date");
        told.and_then(|text| httpdate::parse_http_date(text).ok())
            .unwrap_or_else(|| self.clock.date())
    }
}
