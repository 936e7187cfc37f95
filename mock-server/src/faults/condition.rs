//! The conditions of a fault rule.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::engine::path_pattern;
use crate::engine::{Request, bearer_token};
use crate::input::InvalidInput;
use crate::redaction::label;

/// The requests that a rule applies to. A field that is not set matches every request.
///
/// ```
/// use mock_server::faults::Match;
///
/// let matching: Match = serde_json::from_str(r#"{"method": "GET", "key": "links"}"#)?;
/// assert_eq!(matching.path, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Match {
    /// The method in upper case, such as `POST`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The path without a query, as in a [`RequestPattern`](crate::journal::RequestPattern): an exact
    /// path such as `/me/links/link_1`, a template such as `/me/links/{id}`, or a prefix such as
    /// `/me/*`. It is relative to `/api/v1` unless it starts with `/api/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// An API key of the world or its name: `all`, `none`, `profile`, `analytics`, `links`, `social`,
    /// or a name such as `key6` for a key that was created later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Limits a rule to some of the requests that match. All conditions that are set must hold.
///
/// ```
/// use mock_server::faults::When;
///
/// let when: When = serde_json::from_str(r#"{"skip": 2, "times": 3}"#)?;
/// assert_eq!((when.skip, when.times), (2, Some(3)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// Number of matching requests to skip first.
    #[serde(default)]
    pub skip: u64,
    /// Maximum number of requests that the fault is applied to, at least 1; unlimited if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// Probability of the fault for each request, greater than 0 and at most 1. The choice is derived
    /// from the world's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Last time at which the fault is applied, by the world's clock, as RFC 3339. It may be in the
    /// past, since a clock can be set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// The point at which a fault occurs: before or after the request is carried out.
///
/// ```
/// assert_eq!(mock_server::faults::Phase::default(), mock_server::faults::Phase::Before);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The request is not carried out; nothing is written.
    #[default]
    Before,
    /// The request is carried out; only its response is affected.
    After,
}

impl Match {
    /// Rejects a path that no endpoint has.
    pub(super) fn check(&self) -> Result<(), InvalidInput> {
        self.path.as_deref().map_or(Ok(()), path_pattern::check)
    }

    pub(super) fn matches(&self, request: &Request) -> bool {
        let (method, path) = (self.method.as_ref(), self.path.as_ref());
        method.is_none_or(|method| *method == request.method)
            && path.is_none_or(|path| path_pattern::matches(path, &request.path))
            && self.key.as_ref().is_none_or(|key| has_key(request, key))
    }
}

/// Returns `true` if a request has this key or the key with this name.
fn has_key(request: &Request, key: &str) -> bool {
    let mut authorization = request.header_values("authorization");
    let token = authorization.find_map(bearer_token);
    token.is_some_and(|token| token == key || label(token) == Some(key))
}

impl fmt::Debug for Match {
    /// Hides the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("has_key", &self.key.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::World;

    #[test]
    fn matches_a_key_and_the_name_of_a_key() {
        let keys = World::new(7).keys();
        let request =
            Request::new("GET", "/").header("Authorization", format!("Bearer {}", keys.links));
        for (key, expected) in [
            ("links", true),
            (&keys.links, true),
            ("all", false),
            ("key6", false),
        ] {
            let matching = Match {
                key: Some(key.to_owned()),
                ..Match::default()
            };
            assert_eq!(matching.matches(&request), expected, "{key}");
            assert!(!matching.matches(&Request::new("GET", "/")));
        }
    }
}
