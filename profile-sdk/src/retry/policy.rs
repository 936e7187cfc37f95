//! The retry policy of a client or call.

use std::time::Duration;

/// The number of retries of a failed call, and the waits between them.
///
/// Calls that read, edit or delete are retried if no connection could be established, if the
/// response was lost or timed out, and on 408, 429, 502, 503 and 504. Creating a link or a post
/// twice would create two, so these calls are only retried if the service did not process the
/// request: without a connection, if it refused the request over HTTP/2, and on 429. Retries on 429
/// do not count: they are limited by the total timeout.
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
    /// The maximum number of retries after the first attempt, without those on 429. Default: 3. With
    /// 0, a call is also not retried on 429.
    pub max_retries: u32,
    /// The upper bound of the wait before the first retry. Default: 100 milliseconds. The bound
    /// doubles with each retry. The wait is a random part of it.
    pub base_delay: Duration,
    /// The maximum of that bound. Default: 10 seconds.
    pub max_delay: Duration,
    /// The maximum wait that the service can request with `Retry-After`. Default: 30 seconds. If
    /// the service requests a longer one, or one beyond the total timeout, the call fails at once.
    /// [`Error::retry_after`](crate::Error::retry_after) returns the requested wait. It is also the
    /// maximum time for which a 429 holds all calls of the key, and for which calls wait for the
    /// next window of a reported rate limit.
    pub max_wait: Duration,
}

impl RetryPolicy {
    /// Creates the default policy: three retries, the first within 100 milliseconds.
    pub fn new() -> Self {
        Self {
            max_retries: 3,
            base_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            max_wait: Duration::from_secs(30),
        }
    }

    /// Creates a policy without retries.
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
