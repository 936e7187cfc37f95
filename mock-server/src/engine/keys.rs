//! API keys: the six that every world starts with, and what any key may do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::rate_limit::{RateLimit, Window};
use super::scope::Scope;
use super::seeded::Seeded;
use super::world::World;

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
pub(crate) type KeysInForce = BTreeMap<&'static str, Option<String>>;

impl Keys {
    pub(super) fn of_seed(seed: u64) -> Self {
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
    pub(super) fn owned_by(self, handle: &str) -> BTreeMap<String, Key> {
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
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl World {
    /// Makes a further key for `handle` with these scopes, and returns it. When there is no account
    /// of that handle yet, an empty one is made.
    ///
    /// ```
    /// use mock_server::{Scope, World};
    ///
    /// let mut world = World::new(0);
    /// let key = world.create_key("ada", &[Scope::LinksWrite]);
    /// assert!(key.starts_with("mock_key"));
    /// assert!(world.account("ada").is_some());
    /// ```
    pub fn create_key(&mut self, handle: &str, scopes: &[Scope]) -> String {
        self.add_account(handle);
        let name = format!("key{}", self.next_number());
        let token = token(self.seed(), &name);
        self.keys.insert(token.clone(), Key::new(handle, scopes));
        token
    }

    /// Its six keys, without those that were revoked or that a state did not bring.
    pub(crate) fn keys_in_force(&self) -> KeysInForce {
        let Keys {
            all,
            none,
            profile,
            analytics,
            links,
            social,
        } = self.keys();
        let keys = [
            ("all", all),
            ("none", none),
            ("profile", profile),
            ("analytics", analytics),
            ("links", links),
            ("social", social),
        ];
        let in_force = |key: String| self.has_key(&key).then_some(key);
        keys.map(|(name, key)| (name, in_force(key))).into()
    }

    /// Whether the world has this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Takes a key away, and says whether there was one.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// let key = world.keys().links;
    /// assert!(world.remove_key(&key));
    /// assert!(!world.remove_key(&key));
    /// ```
    pub fn remove_key(&mut self, key: &str) -> bool {
        self.keys.remove(key).is_some()
    }

    /// Sets how many requests a key may make, and returns what it was allowed before; `None` when
    /// there is no such key. What was counted in the window so far still counts.
    ///
    /// ```
    /// use mock_server::{RateLimit, Request, World};
    /// use std::num::NonZeroU32;
    ///
    /// let mut world = World::new(0);
    /// let key = world.keys().all;
    /// let limit = RateLimit { limit: 1, window_seconds: NonZeroU32::MAX };
    /// assert_eq!(world.set_rate_limit(&key, limit), Some(RateLimit::default()));
    ///
    /// let request = Request::new("GET", "/api/v1/me").header("Authorization", format!("Bearer {key}"));
    /// assert_eq!(world.handle(&request).reply.status, 200);
    /// assert_eq!(world.handle(&request).reply.status, 429);
    /// ```
    pub fn set_rate_limit(&mut self, key: &str, limit: RateLimit) -> Option<RateLimit> {
        let key = self.keys.get_mut(key)?;
        Some(std::mem::replace(&mut key.rate_limit, limit))
    }
}

/// What a key may do and for whom. The key's own text is not in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    pub(super) handle: String,
    pub(super) scopes: BTreeSet<Scope>,
    #[serde(default)]
    pub(super) rate_limit: RateLimit,
    #[serde(default, skip_serializing_if = "Window::is_unused")]
    pub(super) window: Window,
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
    pub(super) fn new(handle: &str, scopes: &[Scope]) -> Self {
        Self {
            handle: handle.to_owned(),
            scopes: scopes.iter().copied().collect(),
            rate_limit: RateLimit::default(),
            window: Window::default(),
        }
    }
}

/// The text of the key that is called `name` in the world of this seed.
pub(super) fn token(seed: u64, name: &str) -> String {
    let digits = Seeded::new(seed).text("key").text(name).value();
    format!("mock_{name}_{digits:016x}")
}

/// The name in a key that [`token`] made, which may be shown. `None` for any other key.
pub(crate) fn label(token: &str) -> Option<&str> {
    let (name, digits) = token.strip_prefix("mock_")?.rsplit_once('_')?;
    let is_hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then_some(name)
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
