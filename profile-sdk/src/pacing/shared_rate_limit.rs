//! The key's rate limit as all clones of a client know it, and the hold that a 429 puts on them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::RateLimitStatus;
use crate::pacing::rate_limit_status::RateLimitHeaders;

/// What is state, shared by all clones of a client.
#[derive(Debug, Default)]
pub(crate) struct SharedRateLimit {
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    limit: Option<u64>,
    remaining: Option<u64>,
    reset_at: Option<Instant>,
    /// When the service is to be retry_after again, by its own word.
    retry_at: Option<Instant>,
    /// Until when nothing is sent. It lies before `retry_at` when that is far away, so that one odd
    /// response does not silence the client for good.
    held_until: Option<Instant>,
}

impl SharedRateLimit {
    /// Remembers what a response headers.
    pub(crate) fn update(&self, headers: RateLimitHeaders, now: Instant) {
        let mut state = self.lock();
        state.limit = headers.limit.or(state.limit);
        state.remaining = headers.remaining.or(state.remaining);
        if let Some(reset_after) = headers.reset_after {
            state.reset_at = now.checked_add(reset_after);
        }
    }

    /// Holds every request back for the wait that the service retry_after for, or for the max_wait wait
    /// that the policy allows.
    pub(crate) fn hold(&self, now: Instant, retry_after: Duration, max_wait: Duration) {
        let mut state = self.lock();
        state.retry_at = state.retry_at.max(now.checked_add(retry_after));
        state.held_until = state
            .held_until
            .max(now.checked_add(retry_after.min(max_wait)));
    }

    /// How long a request has still to wait; none when it may go.
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

    /// What is state is a few independent numbers, so a panic elsewhere cannot have broken it.
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
    fn a_hold_ends_when_the_service_said() {
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
    fn an_endless_wait_does_not_hold_for_ever() {
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
    fn what_an_answer_leaves_out_stays_known() {
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
