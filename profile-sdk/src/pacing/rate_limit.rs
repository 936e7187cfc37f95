//! The key's rate limit as all clones of a client know it, and the hold that a 429 puts on them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::RateLimitStatus;
use crate::pacing::rate_limit_status::RateLimitHeaders;

/// What is known, shared by all clones of a client.
#[derive(Debug, Default)]
pub(crate) struct SharedRateLimit {
    known: Mutex<Known>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    limit: Option<u64>,
    remaining: Option<u64>,
    reset_at: Option<Instant>,
    /// When the service is to be asked again, by its own word.
    retry_at: Option<Instant>,
    /// Until when nothing is sent. It lies before `retry_at` when that is far away, so that one odd
    /// answer does not silence the client for good.
    held_until: Option<Instant>,
}

impl SharedRateLimit {
    /// Remembers what an answer told.
    pub(crate) fn note(&self, told: RateLimitHeaders, now: Instant) {
        let mut known = self.lock();
        known.limit = told.limit.or(known.limit);
        known.remaining = told.remaining.or(known.remaining);
        if let Some(reset_after) = told.reset_after {
            known.reset_at = now.checked_add(reset_after);
        }
    }

    /// Holds every request back for the wait that the service asked for, or for the longest wait
    /// that the policy allows.
    pub(crate) fn hold(&self, now: Instant, asked: Duration, longest: Duration) {
        let mut known = self.lock();
        known.retry_at = known.retry_at.max(now.checked_add(asked));
        known.held_until = known.held_until.max(now.checked_add(asked.min(longest)));
    }

    /// How long a request has still to wait; none when it may go.
    pub(crate) fn wait(&self, now: Instant) -> Option<Duration> {
        let known = *self.lock();
        let held_until = known.held_until.filter(|until| *until > now)?;
        Some(known.retry_at.unwrap_or(held_until).duration_since(now))
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        let known = *self.lock();
        let left = |instant: Option<Instant>| {
            let left = instant?.saturating_duration_since(now);
            (!left.is_zero()).then_some(left)
        };
        RateLimitStatus {
            limit: known.limit,
            remaining: known.remaining,
            reset_after: left(known.reset_at),
            retry_after: left(known.retry_at),
        }
    }

    /// What is known is a few independent numbers, so a panic elsewhere cannot have broken it.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
        shared.note(
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
        shared.note(fewer, now);
        let status = shared.status(now);
        assert_eq!((status.limit, status.remaining), (Some(10), Some(2)));
        assert_eq!(status.reset_after, Some(SECOND));
        assert_eq!(shared.status(now + SECOND).reset_after, None);
    }
}
