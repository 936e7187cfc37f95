//! How many requests a key may make in a window of time, and how many it has made.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The rate limit of one key, as `GET /me` shows it: 1,000,000 requests in 60 seconds unless set.
///
/// A window begins with the first request that counts, by the world's clock, and the next one with
/// the first request after its end. Every request with a known key counts that means an endpoint
/// and is not too large; what the rate limit itself refuses does not, nor does a request without a
/// key or with a wrong one.
///
/// ```
/// use mock_server::RateLimit;
///
/// assert_eq!(RateLimit::default().limit, 1_000_000);
/// assert_eq!(RateLimit::default().window_seconds.get(), 60);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// How many requests a window allows; with 0 every request is refused.
    pub limit: u32,
    /// How long a window lasts, in seconds.
    pub window_seconds: NonZeroU32,
}

impl Default for RateLimit {
    fn default() -> Self {
        let window_seconds = NonZeroU32::new(60).expect("sixty is not zero");
        let limit = 1_000_000;
        Self {
            limit,
            window_seconds,
        }
    }
}

/// The window that a key is in.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    /// Unix seconds of the first request in it.
    start: i64,
    used: u32,
}

/// What is left of a window after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) limit: RateLimit,
    pub(crate) remaining: u32,
    /// Seconds until the window ends, at least 1.
    pub(crate) reset: i64,
}

impl Window {
    /// Counts one request; an error when the window has no room for it.
    pub(super) fn count(&mut self, limit: RateLimit, now: i64) -> Result<Quota, Quota> {
        let length = i64::from(limit.window_seconds.get());
        // A clock that was set back must not leave a key shut out until it is there again.
        if !(self.start..self.start.saturating_add(length)).contains(&now) {
            *self = Self {
                start: now,
                used: 0,
            };
        }
        let has_room = self.used < limit.limit;
        self.used += u32::from(has_room);
        let quota = Quota {
            limit,
            remaining: limit.limit.saturating_sub(self.used),
            reset: self.start.saturating_add(length) - now,
        };
        if has_room { Ok(quota) } else { Err(quota) }
    }

    /// Whether nothing was counted yet.
    pub(super) fn is_unused(&self) -> bool {
        self.used == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_lasts_from_its_first_request_to_its_end() {
        let window_seconds = NonZeroU32::new(10).unwrap();
        let limit = RateLimit {
            limit: 2,
            window_seconds,
        };
        let quota = |remaining, reset| Quota {
            limit,
            remaining,
            reset,
        };
        let mut window = Window::default();
        assert_eq!(window.count(limit, 1_000), Ok(quota(1, 10)));
        assert_eq!(window.count(limit, 1_009), Ok(quota(0, 1)));
        assert_eq!(window.count(limit, 1_009), Err(quota(0, 1)));
        assert_eq!(window.count(limit, 1_010), Ok(quota(1, 10)));
        assert_eq!(window.count(limit, 900), Ok(quota(1, 10)));
    }
}
