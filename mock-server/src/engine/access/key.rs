//! What a key may do and for whom.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::rate_limit::{Quota, RateLimit, Window};
use super::scope::Scope;

/// What a key may do and for whom. The key's own text is not in it.
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
    /// What has been used of the window says nothing about what a key may do, and a read that
    /// counts leaves an equal world behind.
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

    /// Counts a request against the rate limit; an error when the window has no room for it.
    pub(crate) fn count(&mut self, now: i64) -> Result<Quota, Quota> {
        self.window.count(self.rate_limit, now)
    }
}
