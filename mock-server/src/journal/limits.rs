//! How much a journal keeps.

/// How much a journal keeps; what is older is dropped, and counted.
///
/// ```
/// let limits = mock_server::journal::JournalLimits::default();
/// assert_eq!(limits.entries, 10_000);
/// assert_eq!(limits.bytes, 8 * 1024 * 1024);
/// assert_eq!(limits.body_bytes, 4 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    /// How many requests; 0 switches the journal off.
    pub entries: usize,
    /// How many bytes of memory for all of them. The newest request is kept however large it is.
    pub bytes: usize,
    /// How many bytes of each body.
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
