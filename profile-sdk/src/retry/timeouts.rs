//! The time that a call may take, and its retries.

use std::time::Duration;

use crate::RetryPolicy;

/// How long a call may take and how often it may be repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    pub(crate) attempt_timeout: Duration,
    pub(crate) total_timeout: Duration,
    pub(crate) retry: RetryPolicy,
}
