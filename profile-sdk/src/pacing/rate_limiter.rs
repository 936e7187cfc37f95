//! A client-side limit on the request rate.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Enforces a minimum interval between the starts of two requests.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

/// The permit to send a request after a wait. A permit that is dropped without
/// [`consume`](Self::consume) goes to the next request.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    rate: &'a RateLimiter,
    pub(crate) wait: Duration,
    consumed: bool,
}

impl RateLimiter {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            interval,
            next: Mutex::new(None),
        }
    }

    /// Returns the next permit, or the wait for it if that is too long.
    pub(crate) fn reserve(&self, now: Instant, max_wait: Duration) -> Result<Permit<'_>, Duration> {
        let mut next = self.lock();
        let start = next.filter(|next| *next > now).unwrap_or(now);
        let wait = start.duration_since(now);
        if !wait.is_zero() && wait >= max_wait {
            return Err(wait);
        }
        *next = start.checked_add(self.interval);
        Ok(Permit {
            rate: self,
            wait,
            consumed: false,
        })
    }

    /// The instant is valid even if another thread panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Marks the permit as used.
    pub(crate) fn consume(mut self) {
        self.consumed = true;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.consumed {
            let mut next = self.rate.lock();
            *next = next.and_then(|next| next.checked_sub(self.rate.interval));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::RateLimiter;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn permits_are_equally_spaced() {
        let (rate, now) = (RateLimiter::new(SECOND), Instant::now());
        for wait in [0, 1, 2] {
            let permit = rate.reserve(now, 60 * SECOND).unwrap();
            assert_eq!(permit.wait, wait * SECOND);
            permit.consume();
        }
        let later = now + 10 * SECOND;
        assert!(rate.reserve(later, SECOND).unwrap().wait.is_zero());
    }

    #[test]
    fn a_dropped_permit_goes_to_the_next_request() {
        let (rate, now) = (RateLimiter::new(SECOND), Instant::now());
        rate.reserve(now, SECOND).unwrap().consume();
        drop(rate.reserve(now, 60 * SECOND).unwrap());
        assert_eq!(rate.reserve(now, 60 * SECOND).unwrap().wait, SECOND);
    }

    #[test]
    fn does_not_reserve_a_permit_beyond_the_maximum_wait() {
        let (rate, now) = (RateLimiter::new(SECOND), Instant::now());
        rate.reserve(now, SECOND).unwrap().consume();
        assert_eq!(rate.reserve(now, SECOND).unwrap_err(), SECOND);
        assert_eq!(rate.reserve(now, 2 * SECOND).unwrap().wait, SECOND);
    }
}
