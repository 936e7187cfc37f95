//! The timeouts and retries of a call.

use std::time::Duration;

use crate::retry::RetryPolicy;

/// The timeouts and the retry policy of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    pub(crate) attempt_timeout: Duration,
    pub(crate) total_timeout: Duration,
    pub(crate) retry: RetryPolicy,
}
