//! Which requests can come at all: what a fault rule and a pattern of the journal may name, and why
//! they may name nothing else.

use crate::engine::Endpoint;

/// The methods that may be named.
pub(crate) const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// What the six keys of a world are called.
const LABELS: [&str; 6] = ["all", "none", "profile", "analytics", "links", "social"];

/// Why no request can match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NeverMatches {
    /// The method is none.
    #[error(
        "the method `{found}` is none; known: {}; without any every method matches",
        METHODS.join(", ")
    )]
    Method {
        /// What was given.
        found: String,
    },
    /// The path is none.
    #[error(
        "the path `{found}` is none; it begins with / and has no query, as /api/v1/me/links/{{id}} does"
    )]
    Path {
        /// What was given.
        found: String,
    },
    /// No endpoint has the path.
    #[error(
        "no endpoint has the path `{found}`; below /api/v1 there are {}",
        known_paths()
    )]
    UnknownPath {
        /// What was given.
        found: String,
    },
    /// No endpoint has the path, and it is not said that this is meant.
    #[error(
        "no endpoint has the path `{found}`; below /api/v1 there are {}; a path that ends with * \
         may lead elsewhere",
        known_paths()
    )]
    Elsewhere {
        /// What was given.
        found: String,
    },
    /// The path is one of the control API.
    #[error("`{found}` is a path of the control API, which no journal keeps")]
    ControlPath {
        /// What was given.
        found: String,
    },
    /// The key is empty.
    #[error("the key is empty; give a key, or the name of one such as `links`")]
    Key,
    /// The world has no such key, and no key is called so. What was given may be a secret, and is
    /// not told.
    #[error(
        "the key is neither one of this world nor the name of one; names are {}, and such as key6 \
         of one that was made",
        LABELS.join(", ")
    )]
    UnknownKey,
    /// No key is called so. What was given may be a secret, and is not told.
    #[error(
        "the journal calls no key so; it has {}, such as key6 for one that was made, `other` for \
         one that a state brought, and `unknown`",
        LABELS.join(", ")
    )]
    KeyName,
    /// The header carries keys, and is never kept.
    #[error("the header `{name}` is never kept; name the `key` in place of it")]
    SecretHeader {
        /// The header's name.
        name: String,
    },
    /// No header is called so.
    #[error("`{found}` is no name of a header")]
    HeaderName {
        /// What was given.
        found: String,
    },
    /// Nothing is answered with the status.
    #[error("the status is {found}; answers have 200 to 999")]
    Status {
        /// What was given.
        found: u16,
    },
    /// No fault is called so.
    #[error("the fault `{found}` is none; known: {}", known.join(", "))]
    Fault {
        /// What was given.
        found: String,
        /// What faults are called.
        known: &'static [&'static str],
    },
}

/// One segment of a path.
#[derive(Debug)]
pub(crate) enum Segment {
    /// In braces: any that is not empty.
    Any,
    Exactly(String),
}

impl Segment {
    fn of(text: &str) -> Self {
        match text.starts_with('{') && text.ends_with('}') {
            true => Self::Any,
            false => Self::Exactly(text.to_owned()),
        }
    }

    /// It may be given as it is sent or as it is meant.
    pub(crate) fn is(&self, given: &str) -> bool {
        match self {
            Self::Any => !given.is_empty(),
            Self::Exactly(text) => {
                text == given || percent_encoding::percent_decode_str(given).eq(text.bytes())
            }
        }
    }
}

pub(crate) fn method(found: &str) -> Result<String, NeverMatches> {
    let found = found.to_owned();
    match METHODS.contains(&&*found) {
        true => Ok(found),
        false => Err(NeverMatches::Method { found }),
    }
}

/// The segments of a path that some endpoint has; it is below `/api/v1` unless it begins with
/// `/api/`.
pub(crate) fn path(found: &str) -> Result<Vec<Segment>, NeverMatches> {
    if !found.starts_with('/') || found.contains('?') {
        let found = found.to_owned();
        return Err(NeverMatches::Path { found });
    }
    let base = match found.starts_with("/api/") {
        true => "",
        false => "/api/v1",
    };
    let path = format!("{base}{found}");
    let segments: Vec<_> = path.split('/').map(Segment::of).collect();
    match Endpoint::ALL
        .iter()
        .any(|endpoint| leads_to(&segments, endpoint.path()))
    {
        true => Ok(segments),
        false => Err(NeverMatches::UnknownPath {
            found: found.to_owned(),
        }),
    }
}

/// Whether a key of a world may be called so.
pub(crate) fn is_key_name(found: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    LABELS.contains(&found) || found.strip_prefix("key").is_some_and(is_number)
}

/// Whether some path of an endpoint is one of these.
fn leads_to(segments: &[Segment], endpoint: &str) -> bool {
    let mut expected = endpoint.split('/').map(Segment::of);
    let fits = segments.iter().all(|given| match (given, expected.next()) {
        (_, None) => false,
        (Segment::Exactly(text), Some(Segment::Any)) => !text.is_empty(),
        (given, Some(Segment::Exactly(text))) => given.is(&text),
        (Segment::Any, Some(Segment::Any)) => true,
    });
    fits && expected.next().is_none()
}

/// The paths of all endpoints, each once and without their common beginning.
fn known_paths() -> String {
    let mut known = Vec::new();
    for endpoint in Endpoint::ALL {
        let path = endpoint.path().trim_start_matches("/api/v1");
        if !known.contains(&path) {
            known.push(path);
        }
    }
    known.join(", ")
}
