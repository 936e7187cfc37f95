//! API keys with their scopes and rate limits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::engine::seeded_hash::SeededHash;
use crate::input;
use crate::redaction;

/// Defines [`Keys`]. A row has the name of a key and its scopes.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident: $scopes:expr;)*) => {
        /// The keys of the account `demo`, named after their scopes.
        ///
        /// They depend only on the seed. `Debug` hides them; `Serialize` does not, since the program
        /// prints them.
        ///
        /// ```
        /// let keys = mock_server::World::new(7).keys();
        /// assert!(keys.all.starts_with("mock_all_"));
        /// assert!(!format!("{keys:?}").contains(&keys.all));
        /// ```
        #[derive(Clone, PartialEq, Eq, Serialize)]
        #[non_exhaustive]
        pub struct Keys {
            $($(#[$doc])* pub $name: String,)*
        }

        impl Keys {
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            pub(crate) fn from_seed(seed: u64) -> Self {
                Self { $($name: token(seed, stringify!($name))),* }
            }

            /// Returns the keys with their scopes, owned by `handle`.
            pub(crate) fn owned_by(self, handle: &str) -> BTreeMap<String, Key> {
                BTreeMap::from([$((self.$name, Key::new(handle, $scopes))),*])
            }
        }
    };
}

keys! {
    /// Has all scopes.
    all: Scope::ALL;
    /// Has no scope; can still call `GET /me` and read view statistics.
    none: &[];
    /// Has only the scope `profile:write`.
    profile: &[Scope::ProfileWrite];
    /// Has only the scope `analytics:read`.
    analytics: &[Scope::AnalyticsRead];
    /// Has only the scope `links:write`.
    links: &[Scope::LinksWrite];
    /// Has only the scope `social:write`.
    social: &[Scope::SocialWrite];
}

/// The keys by name; `None` for a key that the world does not have.
pub(crate) type ActiveKeys = BTreeMap<&'static str, Option<String>>;

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

/// Returns the key with this name in the world with this seed.
pub(crate) fn token(seed: u64, name: &str) -> String {
    let digits = SeededHash::new(seed).mix_str("key").mix_str(name).value();
    redaction::key(name, digits)
}

/// Returns the key in the value of an `Authorization` header.
///
/// The scheme is case-insensitive (RFC 9110, section 11.1), the key is not.
pub(crate) fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim_matches(' '))
}

/// The owner, scopes and rate limit of a key, without the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) handle: String,
    pub(crate) scopes: BTreeSet<Scope>,
    #[serde(default, deserialize_with = "input::nested_object")]
    pub(crate) rate_limit: RateLimit,
    #[serde(default, deserialize_with = "input::nested_object")]
    #[serde(skip_serializing_if = "Window::is_unused")]
    window: Window,
}

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
        let (limit, window) = (self.rate_limit, &mut self.window);
        let length = i64::from(limit.window_seconds.get());
        // If the clock was set back, a new window starts at once.
        if !(window.start..window.start.saturating_add(length)).contains(&now) {
            (window.start, window.used) = (now, 0);
        }
        let has_room = window.used < limit.limit;
        window.used += u32::from(has_room);
        let quota = Quota {
            limit,
            remaining: limit.limit.saturating_sub(window.used),
            reset: window.start.saturating_add(length) - now,
        };
        if has_room { Ok(quota) } else { Err(quota) }
    }
}

/// The rate limit of a key, as `GET /me` returns it: 1,000,000 requests in 60 seconds by default.
///
/// A window starts with the first request that counts and is measured by the clock of the world. A
/// request counts if it has a valid key, is sent to an endpoint, is not too large, and is not
/// rejected because of the rate limit itself.
///
/// ```
/// use mock_server::RateLimit;
///
/// assert_eq!(RateLimit::default().limit, 1_000_000);
/// assert_eq!(RateLimit::default().window_seconds.get(), 60);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// The maximum number of requests in a window; 0 rejects every request.
    pub limit: u32,
    /// The length of a window in seconds.
    pub window_seconds: NonZeroU32,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self {
            limit: 1_000_000,
            window_seconds: NonZeroU32::new(60).expect("sixty is not zero"),
        }
    }
}

/// The current window of a key.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    /// The Unix time of the first request in the window.
    start: i64,
    used: u32,
}

impl PartialEq for Window {
    /// Returns `true`, so that a read, which only counts against the rate limit, leaves an equal world.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Window {}

/// The state of a window after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) limit: RateLimit,
    pub(crate) remaining: u32,
    /// The number of seconds until the window ends, at least 1.
    pub(crate) reset: i64,
}

impl Window {
    /// Returns `true` if no request was counted in the window.
    fn is_unused(&self) -> bool {
        self.used == 0
    }
}

named_enum! {
    /// A scope of a key (section Authentication of the specification). `Display` prints its name.
    ///
    /// ```
    /// use mock_server::Scope;
    ///
    /// assert_eq!(Scope::LinksWrite.to_string(), "links:write");
    /// assert!(Scope::ALL.contains(&Scope::LinksWrite));
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Scope {
        /// To edit the profile.
        ProfileWrite = "profile:write",
        /// To read the analytics.
        AnalyticsRead = "analytics:read",
        /// To create, edit and delete links.
        LinksWrite = "links:write",
        /// To create and delete posts.
        SocialWrite = "social:write",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_lasts_from_its_first_request_to_its_end() {
        let window_seconds = NonZeroU32::new(10).unwrap();
        let limit = RateLimit {
            limit: 2,
            window_seconds,
        };
        let quota = |remaining, reset| Quota {
            limit,
            remaining,
            reset,
        };
        let mut key = Key::new("demo", &[]);
        key.rate_limit = limit;
        assert_eq!(key.count(1_000), Ok(quota(1, 10)));
        assert_eq!(key.count(1_009), Ok(quota(0, 1)));
        assert_eq!(key.count(1_009), Err(quota(0, 1)));
        assert_eq!(key.count(1_010), Ok(quota(1, 10)));
        assert_eq!(key.count(900), Ok(quota(1, 10)));
    }
}
