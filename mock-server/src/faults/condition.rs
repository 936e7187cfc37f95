//! Which requests a fault rule strikes, when, and on which side of the write.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::engine::{Request, bearer_token, label};
use crate::invalid_input::InvalidInput;
use crate::path_pattern;

/// Which requests a rule is for. What is not given matches everything.
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
    /// The method in capitals, such as `POST`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The path without a query, as a [`RequestPattern`](crate::journal::RequestPattern) has it: exact,
    /// such as `/me/links/link_1`, a template such as `/me/links/{id}`, or a beginning such as
    /// `/me/*`. It is below `/api/v1` unless it begins with `/api/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A key of the world, or the name of one: `all`, `none`, `profile`, `analytics`, `links`,
    /// `social`, or such as `key6` of one that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Which of the requests that match meet the fault. All that is given has to hold.
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
    /// How many go by first.
    #[serde(default)]
    pub skip: u64,
    /// How many meet the fault before the rule is spent, at least 1; no end unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// How likely each is to meet it, above 0 and up to 1; which ones follows from the world's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// The last instant of the world's clock, as RFC 3339, at which any meets it. One that has
    /// passed is taken too, since a clock can be set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// On which side of the write the fault lies.
///
/// ```
/// assert_eq!(mock_server::faults::Phase::default(), mock_server::faults::Phase::Before);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The request is answered as if it were carried out, and nothing is written.
    #[default]
    Before,
    /// The write is done, and its answer goes wrong.
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

/// Returns whether a request has this key, or the key of this name.
fn has_key(request: &Request, key: &str) -> bool {
    let mut authorization = request.header_values("authorization");
    let token = authorization.find_map(bearer_token);
    token.is_some_and(|token| token == key || label(token) == Some(key))
}

impl fmt::Debug for Match {
    /// Shows whether there is a key, never which.
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
    fn a_key_is_given_by_itself_or_by_its_name() {
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
