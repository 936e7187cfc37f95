//! The six API keys of every new world, and the format of keys.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::key::Key;
use super::scope::Scope;
use crate::engine::seeded_hash::SeededHash;

/// The six keys of the account `demo`, named after their scopes.
///
/// They depend only on the seed. `Debug` hides them; `Serialize` does not, since the program prints
/// them.
///
/// ```
/// let keys = mock_server::World::new(7).keys();
/// assert!(keys.all.starts_with("mock_all_"));
/// assert!(!format!("{keys:?}").contains(&keys.all));
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Keys {
    /// Has all scopes.
    pub all: String,
    /// Has no scope; can still call `GET /me` and read view statistics.
    pub none: String,
    /// Has only the scope `profile:write`.
    pub profile: String,
    /// Has only the scope `analytics:read`.
    pub analytics: String,
    /// Has only the scope `links:write`.
    pub links: String,
    /// Has only the scope `social:write`.
    pub social: String,
}

/// The six keys by name; `None` for a key that the world does not have.
pub(crate) type ActiveKeys = BTreeMap<&'static str, Option<String>>;

impl Keys {
    pub(crate) const NAMES: [&str; 6] = ["all", "none", "profile", "analytics", "links", "social"];

    pub(crate) fn from_seed(seed: u64) -> Self {
        Self {
            all: token(seed, "all"),
            none: token(seed, "none"),
            profile: token(seed, "profile"),
            analytics: token(seed, "analytics"),
            links: token(seed, "links"),
            social: token(seed, "social"),
        }
    }

    /// Returns the keys with their scopes, owned by `handle`.
    pub(crate) fn owned_by(self, handle: &str) -> BTreeMap<String, Key> {
        let key = |scopes: &[Scope]| Key::new(handle, scopes);
        BTreeMap::from([
            (self.all, key(&Scope::ALL)),
            (self.none, key(&[])),
            (self.profile, key(&[Scope::ProfileWrite])),
            (self.analytics, key(&[Scope::AnalyticsRead])),
            (self.links, key(&[Scope::LinksWrite])),
            (self.social, key(&[Scope::SocialWrite])),
        ])
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

/// Returns the key with this name in the world with this seed.
pub(crate) fn token(seed: u64, name: &str) -> String {
    let digits = SeededHash::new(seed).mix_str("key").mix_str(name).value();
    format!("mock_{name}_{digits:016x}")
}

/// Returns the key in the value of an `Authorization` header.
///
/// The scheme is case-insensitive (RFC 9110, section 11.1), the key is not.
pub(crate) fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::label;

    #[test]
    fn only_generated_keys_have_a_label() {
        assert_eq!(label(&token(7, "all")), Some("all"));
        assert_eq!(label(&token(7, "key6")), Some("key6"));
        for other in [
            "",
            "all",
            "secret",
            "mock_all_",
            "mock_all_12",
            "mock_secret",
        ] {
            assert_eq!(label(other), None, "{other}");
        }
    }
}
