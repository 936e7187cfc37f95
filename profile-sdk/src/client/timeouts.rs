//! The timeouts and retries of a call.

use std::time::{Duration, Instant};

use crate::retry::RetryPolicy;

/// The timeouts and the retry policy of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    pub(crate) attempt_timeout: Duration,
    pub(crate) total_timeout: Duration,
    /// Limits the call in addition to the total timeout.
    pub(crate) deadline: Option<Instant>,
    pub(crate) retry: RetryPolicy,
}
