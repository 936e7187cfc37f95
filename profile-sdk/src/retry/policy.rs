//! How often and how patiently a failed call is repeated.

use std::time::Duration;

/// How often a failed call is repeated, and how long it waits in between.
///
/// What is repeated depends on the operation and not on its method. Reading, deleting and the edits
/// of the profile and of links leave the same behind however often they are done: they are repeated
/// when no connection could be made, when the response was lost or late, and on 408, 429, 502, 503
/// and 504. Creating a link or a post is repeated only where it cannot have been done: when no
/// connection could be made, and on 429.
///
/// ```
/// use std::time::Duration;
///
/// use profile_sdk::{Client, RetryPolicy};
///
/// let patient = RetryPolicy::new().max_retries(8).max_wait(Duration::from_secs(120));
/// let client = Client::builder()
///     .base_url("https://profiles.example")
///     .retry(patient)
///     .total_timeout(Duration::from_secs(300))
///     .build()?;
/// let once = client.me().retry(RetryPolicy::none());
/// # Ok::<(), profile_sdk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct RetryPolicy {
    /// The maximum number of retries after the first attempt; 3 by default.
    pub max_retries: u32,
    /// The upper bound of the wait before the first retry, where the service asks for none;
    /// 100 milliseconds by default. It doubles with each retry, and the wait is a random part of it,
    /// so that many clients do not come back at the same time.
    pub base_delay: Duration,
    /// The upper bound of that wait, however often it has doubled; 10 seconds by default.
    pub max_delay: Duration,
    /// The longest wait that the service may ask for with `Retry-After`; 30 seconds by default.
    /// When it asks for a longer one, or for one that the call's total time does not allow, the
    /// error comes at once and [carries it](crate::Error::retry_after).
    pub max_wait: Duration,
}

impl RetryPolicy {
    /// Three retries, the first within 100 milliseconds; waits of at most 30 seconds.
    pub fn new() -> Self {
        Self {
            max_retries: 3,
            base_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            max_wait: Duration::from_secs(30),
        }
    }

    /// No retry: every call is sent once.
    pub fn none() -> Self {
        Self::new().max_retries(0)
    }

    /// Sets [`max_retries`](field@Self::max_retries).
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// Sets [`base_delay`](field@Self::base_delay).
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets [`max_delay`](field@Self::max_delay).
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets [`max_wait`](field@Self::max_wait).
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}
