//! The API keys of every new world.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::key::Key;
use super::scope::Scope;
use crate::engine::seeded_hash::SeededHash;
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
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}
