//! The limits of a journal.

use serde::{Deserialize, Serialize};

/// The limits of a journal. The oldest requests are dropped and counted.
///
/// ```
/// let limits = mock_server::journal::JournalLimits::default();
/// assert_eq!(limits.entries, 10_000);
/// assert_eq!(limits.bytes, 8 * 1024 * 1024);
/// assert_eq!(limits.body_bytes, 4 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalLimits {
    /// Maximum number of requests; 0 disables the journal.
    pub entries: usize,
    /// Maximum memory for all requests in bytes. The newest request is always kept.
    pub bytes: usize,
    /// Maximum number of bytes recorded of each body.
    pub body_bytes: usize,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            bytes: 8 * 1024 * 1024,
            body_bytes: 4 * 1024,
        }
    }
}
