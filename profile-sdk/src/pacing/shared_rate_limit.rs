//! The rate limit of the key, and the pause after a 429, shared by all clones of a client.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::RateLimitStatus;
use crate::pacing::rate_limit_status::RateLimitHeaders;

/// The rate limit, shared by all clones of a client.
#[derive(Debug, Default)]
pub(crate) struct SharedRateLimit {
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    limit: Option<u64>,
    remaining: Option<u64>,
    reset_at: Option<Instant>,
    /// The time at which the service allows the next request.
    retry_at: Option<Instant>,
    /// The time until which no request is sent. It is earlier than `retry_at` if that is far in the
    /// future, so that one unusual response does not block the client forever.
    held_until: Option<Instant>,
}

impl SharedRateLimit {
    /// Updates the state from the headers of a response.
    pub(crate) fn update(&self, headers: RateLimitHeaders, now: Instant) {
        let mut state = self.lock();
        state.limit = headers.limit.or(state.limit);
        state.remaining = headers.remaining.or(state.remaining);
        if let Some(reset_after) = headers.reset_after {
            state.reset_at = now.checked_add(reset_after);
        }
    }

    /// Delays all requests for the requested wait, but no longer than the maximum wait of the
    /// policy.
    pub(crate) fn hold(&self, now: Instant, retry_after: Duration, max_wait: Duration) {
        let mut state = self.lock();
        state.retry_at = state.retry_at.max(now.checked_add(retry_after));
        state.held_until = state
            .held_until
            .max(now.checked_add(retry_after.min(max_wait)));
    }

    /// Returns how long requests are still delayed, or `None` if they can be sent.
    pub(crate) fn wait(&self, now: Instant) -> Option<Duration> {
        let state = *self.lock();
        let held_until = state.held_until.filter(|until| *until > now)?;
        Some(state.retry_at.unwrap_or(held_until).duration_since(now))
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        let state = *self.lock();
        let left = |instant: Option<Instant>| {
            let left = instant?.saturating_duration_since(now);
            (!left.is_zero()).then_some(left)
        };
        RateLimitStatus {
            limit: state.limit,
            remaining: state.remaining,
            reset_after: left(state.reset_at),
            retry_after: left(state.retry_at),
        }
    }

    /// The fields are independent, so they are valid even if another thread panicked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::SharedRateLimit;
    use crate::pacing::rate_limit_status::RateLimitHeaders;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn pauses_until_the_requested_time() {
        let (shared, now) = (SharedRateLimit::default(), Instant::now());
        assert_eq!(shared.wait(now), None);
        shared.hold(now, 5 * SECOND, 30 * SECOND);
        shared.hold(now, SECOND, 30 * SECOND);
        assert_eq!(shared.wait(now + SECOND), Some(4 * SECOND));
        assert_eq!(shared.status(now).retry_after, Some(5 * SECOND));
        assert_eq!(shared.wait(now + 5 * SECOND), None);
        assert_eq!(shared.status(now + 5 * SECOND).retry_after, None);
    }

    #[test]
    fn a_long_wait_does_not_block_forever() {
        let (shared, now) = (SharedRateLimit::default(), Instant::now());
        shared.hold(now, 1000 * SECOND, 30 * SECOND);
        assert_eq!(shared.wait(now), Some(1000 * SECOND));
        assert_eq!(shared.wait(now + 30 * SECOND), None);
        let shared = SharedRateLimit::default();
        shared.hold(now, Duration::MAX, 30 * SECOND);
        assert_eq!(shared.wait(now), Some(30 * SECOND));
        shared.hold(now, Duration::MAX, Duration::MAX);
        assert_eq!(shared.wait(now + 30 * SECOND), None);
    }

    #[test]
    fn keeps_values_that_a_response_omits() {
        let (shared, now) = (SharedRateLimit::default(), Instant::now());
        shared.update(
            RateLimitHeaders {
                limit: Some(10),
                remaining: Some(3),
                reset_after: Some(SECOND),
            },
            now,
        );
        let fewer = RateLimitHeaders {
            remaining: Some(2),
            ..RateLimitHeaders::default()
        };
        shared.update(fewer, now);
        let status = shared.status(now);
        assert_eq!((status.limit, status.remaining), (Some(10), Some(2)));
        assert_eq!(status.reset_after, Some(SECOND));
        assert_eq!(shared.status(now + SECOND).reset_after, None);
    }
}
