//! Which requests a rule is for.

use super::condition::Match;
use crate::engine::{Request, bearer_token, label};
use crate::never_matches::{self, NeverMatches, Segment, is_key_name};

/// A [`Match`] that has been read.
#[derive(Debug)]
pub(super) struct Pattern {
    method: Option<String>,
    path: Option<Vec<Segment>>,
    key: Option<Secret>,
}

/// A key or its name; never shown, since nobody can tell which it is.
struct Secret(String);

impl Pattern {
    /// Reads a pattern that some request can match. `is_key` says whether the world has a key.
    pub(super) fn read(
        matching: &Match,
        is_key: impl Fn(&str) -> bool,
    ) -> Result<Self, NeverMatches> {
        Ok(Self {
            method: matching
                .method
                .as_deref()
                .map(never_matches::method)
                .transpose()?,
            path: matching
                .path
                .as_deref()
                .map(never_matches::path)
                .transpose()?,
            key: (matching.key.as_deref())
                .map(|found| key(found, is_key))
                .transpose()?,
        })
    }

    pub(super) fn matches(&self, request: &Request) -> bool {
        self.method
            .as_ref()
            .is_none_or(|method| *method == request.method)
            && self
                .path
                .as_ref()
                .is_none_or(|path| is_path(path, &request.path))
            && self.key.as_ref().is_none_or(|key| key.is_of(request))
    }
}

impl Secret {
    fn is_of(&self, request: &Request) -> bool {
        let mut tokens = request
            .header_values("authorization")
            .filter_map(bearer_token);
        tokens
            .next()
            .is_some_and(|token| token == self.0 || label(token) == Some(&self.0))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Secret").finish_non_exhaustive()
    }
}

fn key(found: &str, is_key: impl Fn(&str) -> bool) -> Result<Secret, NeverMatches> {
    if found.is_empty() {
        return Err(NeverMatches::Key);
    }
    // A key of the form of ours may be made later.
    if is_key_name(found) || label(found).is_some() || is_key(found) {
        return Ok(Secret(found.to_owned()));
    }
    Err(NeverMatches::UnknownKey)
}

fn is_path(expected: &[Segment], path: &str) -> bool {
    let mut given = path.split('/');
    let begins = expected
        .iter()
        .all(|segment| given.next().is_some_and(|given| segment.is(given)));
    begins && given.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matching: &Match, request: &Request) -> bool {
        Pattern::read(matching, |_| false).unwrap().matches(request)
    }

    #[test]
    fn a_path_is_exact_but_for_braces() {
        for (path, sent, expected) in [
            ("/api/v1/me", "/api/v1/me", true),
            ("/me", "/api/v1/me", true),
            ("/me/links/{id}", "/api/v1/me/links/link_1", true),
            ("/me/links/link_1", "/api/v1/me/links/link_1", true),
            ("/api/v1/me", "/api/v1/me/", false),
            ("/api/v1/me", "/api/v1/me/links", false),
            ("/api/v1/me/links/{id}", "/api/v1/me/links/link_1", true),
            ("/api/v1/me/links/{id}", "/api/v1/me/links/", false),
            ("/api/v1/me/links/{id}", "/api/v1/me/links", false),
            ("/api/v1/users/é/stats", "/api/v1/users/%C3%A9/stats", true),
            (
                "/api/v1/users/%2e%2e/stats",
                "/api/v1/users/%2e%2e/stats",
                true,
            ),
        ] {
            let matching = Match {
                path: Some(path.to_owned()),
                ..Match::default()
            };
            let request = Request::new("GET", sent);
            assert_eq!(matches(&matching, &request), expected, "{path} {sent}");
        }
    }

    #[test]
    fn a_rule_that_could_never_strike_is_refused() {
        let path = |found: &str| Match {
            path: Some(found.to_owned()),
            ..Match::default()
        };
        let key = |found: &str| Match {
            key: Some(found.to_owned()),
            ..Match::default()
        };
        let read = |matching: Match| Pattern::read(&matching, |key| key == "by hand").map(drop);
        for found in ["/me/link", "/me/", "/me/links/", "/api/v2/me", "/api/v1"] {
            let found = found.to_owned();
            assert_eq!(read(path(&found)), Err(NeverMatches::UnknownPath { found }));
        }
        for found in ["by hand", "key7", &crate::World::new(7).keys().all] {
            assert_eq!(read(key(found)), Ok(()), "{found}");
        }
        for found in ["link", "keys", "Links", "unknown"] {
            assert_eq!(read(key(found)), Err(NeverMatches::UnknownKey), "{found}");
        }
    }

    #[test]
    fn a_key_is_given_by_itself_or_by_its_name() {
        let keys = crate::World::new(7).keys();
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
            assert_eq!(matches(&matching, &request), expected, "{key}");
            assert!(!matches(&matching, &Request::new("GET", "/")));
        }
    }
}
