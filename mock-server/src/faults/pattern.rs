//! Which requests a rule is for.

use percent_encoding::percent_decode_str;

use super::invalid::InvalidFault;
use super::rule::Match;
use crate::engine::{Request, bearer_token, label};

/// A [`Match`] that has been read.
#[derive(Debug)]
pub(super) struct Pattern {
    method: Option<String>,
    path: Option<Vec<Segment>>,
    key: Option<Secret>,
}

#[derive(Debug)]
enum Segment {
    Any,
    Exactly(String),
}

/// A key or its name; never shown, since nobody can tell which it is.
struct Secret(String);

impl Pattern {
    pub(super) fn read(matching: &Match) -> Result<Self, InvalidFault> {
        Ok(Self {
            method: matching.method.as_deref().map(method).transpose()?,
            path: matching.path.as_deref().map(segments).transpose()?,
            key: matching.key.as_deref().map(key).transpose()?,
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

fn method(found: &str) -> Result<String, InvalidFault> {
    let found = found.to_owned();
    match http::Method::from_bytes(found.as_bytes()) {
        Ok(_) => Ok(found),
        Err(_) => Err(InvalidFault::Method { found }),
    }
}

fn segments(found: &str) -> Result<Vec<Segment>, InvalidFault> {
    if !found.starts_with('/') || found.contains('?') {
        let found = found.to_owned();
        return Err(InvalidFault::Path { found });
    }
    Ok(found.split('/').map(segment).collect())
}

fn segment(text: &str) -> Segment {
    if text.starts_with('{') && text.ends_with('}') {
        return Segment::Any;
    }
    Segment::Exactly(text.to_owned())
}

fn key(found: &str) -> Result<Secret, InvalidFault> {
    if found.is_empty() {
        return Err(InvalidFault::Key);
    }
    Ok(Secret(found.to_owned()))
}

fn is_path(expected: &[Segment], path: &str) -> bool {
    let mut given = path.split('/');
    let begins = expected
        .iter()
        .all(|segment| given.next().is_some_and(|given| segment.is(given)));
    begins && given.next().is_none()
}

impl Segment {
    /// A rule may give a segment as it is sent or as it is meant.
    fn is(&self, given: &str) -> bool {
        match self {
            Self::Any => !given.is_empty(),
            Self::Exactly(text) => text == given || percent_decode_str(given).eq(text.bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matching: &Match, request: &Request) -> bool {
        Pattern::read(matching).unwrap().matches(request)
    }

    #[test]
    fn a_path_is_exact_but_for_braces() {
        for (path, sent, expected) in [
            ("/api/v1/me", "/api/v1/me", true),
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
    fn a_key_is_given_by_itself_or_by_its_name() {
        let keys = crate::World::new(7).keys();
        let request =
            Request::new("GET", "/").header("Authorization", format!("Bearer {}", keys.links));
        for (key, expected) in [
            ("links", true),
            (&keys.links, true),
            ("all", false),
            ("link", false),
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
