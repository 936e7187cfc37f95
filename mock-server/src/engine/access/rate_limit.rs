//! The rate limit of a key and its current window.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The rate limit of a key, as `GET /me` returns it: 1,000,000 requests in 60 seconds by default.
///
/// A window starts with the first request that counts and is measured by the clock of the world. A
/// request counts if it has a valid key, is sent to an endpoint, is not too large, and is not
/// rejected because of the rate limit itself.
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
    /// The maximum number of requests in a window; 0 rejects every request.
    pub limit: u32,
    /// The length of a window in seconds.
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

/// The current window of a key.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    /// The Unix time of the first request in the window.
    start: i64,
    used: u32,
}

/// The state of a window after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) limit: RateLimit,
    pub(crate) remaining: u32,
    /// The number of seconds until the window ends, at least 1.
    pub(crate) reset: i64,
}

impl Window {
    /// Counts a request. Returns an error if the limit is exceeded.
    pub(super) fn count(&mut self, limit: RateLimit, now: i64) -> Result<Quota, Quota> {
        let length = i64::from(limit.window_seconds.get());
        // If the clock was set back, a new window starts at once.
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

    /// Returns `true` if no request was counted in the window.
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
