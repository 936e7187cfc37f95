//! The waits that a client reports.

use std::sync::Arc;
use std::time::Duration;

use crate::error::ErrorKind;

/// A wait of a call before its next attempt, passed to
/// [`ClientBuilder::on_wait`](crate::ClientBuilder::on_wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The time until the next attempt.
    pub duration: Duration,
    /// The kind of the error of the last attempt.
    pub reason: ErrorKind,
    /// The number of the retry that follows, from 1, or `None` after a 429, which does not count.
    pub retry: Option<u32>,
}

/// A function that is called before each wait.
pub(crate) type OnWait = Arc<dyn Fn(Wait) + Send + Sync>;
