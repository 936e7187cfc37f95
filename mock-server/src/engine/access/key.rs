//! The owner, scopes and rate limit of a key.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::rate_limit::{Quota, RateLimit, Window};
use super::scope::Scope;

/// The owner, scopes and rate limit of a key, without the key itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) handle: String,
    pub(crate) scopes: BTreeSet<Scope>,
    #[serde(default)]
    pub(crate) rate_limit: RateLimit,
    #[serde(default, skip_serializing_if = "Window::is_unused")]
    window: Window,
}

impl PartialEq for Key {
    /// Ignores the window, so that a read, which only counts against the rate limit, leaves an equal
    /// world.
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
            && self.scopes == other.scopes
            && self.rate_limit == other.rate_limit
    }
}

impl Eq for Key {}

impl Key {
    pub(crate) fn new(handle: &str, scopes: &[Scope]) -> Self {
        Self {
            handle: handle.to_owned(),
            scopes: scopes.iter().copied().collect(),
            rate_limit: RateLimit::default(),
            window: Window::default(),
        }
    }

    /// Starts a new window of the rate limit.
    pub(crate) fn reset_window(&mut self) {
        self.window = Window::default();
    }

    /// Counts a request against the rate limit. Returns an error if the limit is exceeded.
    pub(crate) fn count(&mut self, now: i64) -> Result<Quota, Quota> {
        self.window.count(self.rate_limit, now)
    }
}
