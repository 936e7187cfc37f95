//! API keys: the six that every world starts with, and what any key may do.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::key::Key;
use super::scope::Scope;
use crate::engine::seeded_hash::SeededHash;

/// The six keys of the account `demo`, named by what they may do.
///
/// They follow from the seed alone: the same seed gives the same keys in every process. `Debug`
/// hides them; `Serialize` is how the program prints them.
///
/// ```
/// let keys = mock_server::World::new(7).keys();
/// assert!(keys.all.starts_with("mock_all_"));
/// assert!(!format!("{keys:?}").contains(&keys.all));
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Keys {
    /// May do everything.
    pub all: String,
    /// Has no scope: may read `GET /me` and view statistics.
    pub none: String,
    /// Has `profile:write` alone.
    pub profile: String,
    /// Has `analytics:read` alone.
    pub analytics: String,
    /// Has `links:write` alone.
    pub links: String,
    /// Has `social:write` alone.
    pub social: String,
}

/// The six keys by their names; nothing in place of one that the world does not know.
pub(crate) type ActiveKeys = BTreeMap<&'static str, Option<String>>;

impl Keys {
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

    /// What the world knows of these keys, all of them owned by `handle`.
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

/// The text of the key that is called `name` in the world of this seed.
pub(crate) fn token(seed: u64, name: &str) -> String {
    let digits = SeededHash::new(seed).mix_str("key").mix_str(name).value();
    format!("mock_{name}_{digits:016x}")
}

/// The name in a key that [`token`] made, which may be shown. `None` for any other key.
pub(crate) fn label(token: &str) -> Option<&str> {
    let (name, digits) = token.strip_prefix("mock_")?.rsplit_once('_')?;
    let is_hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then_some(name)
}

/// The key in the value of an `Authorization` header.
///
/// The name of the scheme is good in any case (RFC 9110, section 11.1), the key in its own alone.
pub(crate) fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_read_from_our_own_keys_alone() {
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
