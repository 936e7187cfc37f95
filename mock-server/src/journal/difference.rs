//! Whether an entry matches a pattern, and how it differs when it does not.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::form_urlencoded;

use super::body_difference::{BodyDifference, Extra, compare};
use super::entry::View;
use super::request_pattern::RequestPattern;

/// One reason why a request is not the one that a pattern describes. Shown, it reads on after
/// "PATCH /me/profile came, but".
#[derive(Debug)]
pub(super) enum Difference<'a> {
    Method {
        found: &'a str,
        expected: &'a str,
    },
    Path {
        expected: &'a str,
    },
    Query(Named<'a>),
    Header(Named<'a>),
    Key {
        found: Option<&'a str>,
        expected: &'a str,
    },
    Status {
        found: Option<u16>,
        expected: u16,
    },
    Fault {
        found: Option<&'a str>,
        expected: &'a str,
    },
    BodyCut {
        length: usize,
        kept: usize,
    },
    NoBody,
    NotJson,
    Body(BodyDifference),
}

/// A query parameter or a header.
#[derive(Debug)]
pub(super) struct Named<'a> {
    name: &'a str,
    found: Option<Cow<'a, str>>,
    expected: Option<&'a str>,
}

impl RequestPattern {
    pub(super) fn matches(&self, entry: &View<'_>) -> bool {
        // The cheap questions come first, since they settle most entries.
        self.method_differs(entry).is_none()
            && self.path_differs(entry).is_none()
            && self.differences(entry).is_empty()
    }

    pub(super) fn differences<'a>(&'a self, entry: &View<'a>) -> Vec<Difference<'a>> {
        let mut differences = Vec::new();
        differences.extend(self.method_differs(entry));
        differences.extend(self.path_differs(entry));
        differences.extend(self.queries_that_differ(entry).map(Difference::Query));
        differences.extend(self.headers_that_differ(entry).map(Difference::Header));
        for (expected, extra) in [
            (&self.body_contains, Extra::Allowed),
            (&self.body, Extra::Refused),
        ] {
            if let Some(expected) = expected {
                body_differs(entry, expected, extra, &mut differences);
            }
        }
        differences.extend(self.key_differs(entry));
        differences.extend(self.status_differs(entry));
        differences.extend(self.fault_differs(entry));
        differences
    }

    fn method_differs<'a>(&'a self, entry: &View<'a>) -> Option<Difference<'a>> {
        let (expected, found) = (self.method.as_deref()?, entry.method);
        (found != expected).then_some(Difference::Method { found, expected })
    }

    fn path_differs<'a>(&'a self, entry: &View<'a>) -> Option<Difference<'a>> {
        let expected = self.path.as_deref()?;
        (!is_path(expected, entry.path)).then_some(Difference::Path { expected })
    }

    fn key_differs<'a>(&'a self, entry: &View<'a>) -> Option<Difference<'a>> {
        let (expected, found) = (self.key.as_deref()?, entry.key);
        (found != Some(expected)).then_some(Difference::Key { found, expected })
    }

    fn status_differs<'a>(&'a self, entry: &View<'a>) -> Option<Difference<'a>> {
        let (expected, found) = (self.status?, entry.status);
        (found != Some(expected)).then_some(Difference::Status { found, expected })
    }

    fn fault_differs<'a>(&'a self, entry: &View<'a>) -> Option<Difference<'a>> {
        let (expected, found) = (self.fault.as_deref()?, entry.fault);
        (found != Some(expected)).then_some(Difference::Fault { found, expected })
    }

    fn queries_that_differ<'a>(&'a self, entry: &View<'a>) -> impl Iterator<Item = Named<'a>> {
        let query = entry.query.unwrap_or_default();
        self.query.iter().filter_map(move |(name, expected)| {
            let found = form_urlencoded::parse(query.as_bytes())
                .filter(|(given, _)| given == name)
                .map(|(_, value)| value);
            Named::unless_equal(name, expected.as_deref(), found)
        })
    }

    fn headers_that_differ<'a>(&'a self, entry: &View<'a>) -> impl Iterator<Item = Named<'a>> {
        let entry = *entry;
        self.headers.iter().filter_map(move |(name, expected)| {
            let found = entry
                .headers()
                .filter(|(given, _)| given.eq_ignore_ascii_case(name))
                .map(|(_, value)| Cow::Borrowed(value));
            Named::unless_equal(name, expected.as_deref(), found)
        })
    }
}

impl<'a> Named<'a> {
    /// Nothing when one of the values that were found is the expected one, or when none was found
    /// and none expected.
    fn unless_equal(
        name: &'a str,
        expected: Option<&'a str>,
        found: impl Iterator<Item = Cow<'a, str>>,
    ) -> Option<Self> {
        let found: Vec<_> = found.collect();
        let equal = match expected {
            Some(expected) => found.iter().any(|value| value == expected),
            None => found.is_empty(),
        };
        let found = found.into_iter().next();
        (!equal).then_some(Self {
            name,
            found,
            expected,
        })
    }

    fn show(&self, what: &str, separator: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match (&self.found, self.expected) {
            (Some(found), Some(expected)) => write!(
                formatter,
                "with the {what} `{name}{separator}{found}` in place of `{expected}`"
            ),
            (None, _) => write!(formatter, "without the {what} `{name}`"),
            (Some(_), None) => write!(formatter, "with the {what} `{name}`"),
        }
    }
}

fn body_differs<'a>(
    entry: &View<'a>,
    expected: &Value,
    extra: Extra,
    differences: &mut Vec<Difference<'a>>,
) {
    let (length, kept) = (entry.body_length, entry.body.len());
    if length == 0 {
        differences.push(Difference::NoBody);
    } else if kept < length {
        differences.push(Difference::BodyCut { length, kept });
    } else if let Ok(found) = serde_json::from_slice(entry.body) {
        let found = compare(expected, &found, extra);
        differences.extend(found.into_iter().map(Difference::Body));
    } else {
        differences.push(Difference::NotJson);
    }
}

/// Whether a path is one of those that a pattern's path stands for. Segments are compared decoded,
/// as the service reads them.
fn is_path(expected: &str, path: &str) -> bool {
    let expected = full_path(expected);
    if let Some(beginning) = expected.strip_suffix('*') {
        return path.starts_with(beginning);
    }
    let (mut expected, mut given) = (expected.split('/'), path.split('/'));
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return true,
            (Some(expected), Some(given)) if is_segment(expected, given) => {}
            _ => return false,
        }
    }
}

fn is_segment(expected: &str, given: &str) -> bool {
    if expected.starts_with('{') && expected.ends_with('}') {
        return !given.is_empty();
    }
    percent_decode_str(expected).eq(percent_decode_str(given))
}

fn full_path(path: &str) -> Cow<'_, str> {
    if path.starts_with("/api/") {
        return Cow::Borrowed(path);
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Cow::Owned(format!("/api/v1{slash}{path}"))
}

impl Difference<'_> {
    /// How much the difference counts: a request to another path is the least likely to be meant.
    pub(super) fn weight(&self) -> u32 {
        match self {
            Self::Path { .. } => 100,
            Self::Method { .. } => 10,
            _ => 1,
        }
    }
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method { found, expected } => {
                write!(formatter, "with {found} in place of {expected}")
            }
            Self::Path { expected } => write!(formatter, "not to {expected}"),
            Self::Query(named) => named.show("query parameter", "=", formatter),
            Self::Header(named) if named.name.eq_ignore_ascii_case("authorization") => {
                formatter.write_str("without `authorization`, which is never kept: name the `key`")
            }
            Self::Header(named) => named.show("header", ": ", formatter),
            Self::Key {
                found: Some(found),
                expected,
            } => {
                write!(formatter, "with the key `{found}` in place of `{expected}`")
            }
            Self::Key {
                found: None,
                expected,
            } => {
                write!(formatter, "without a key in place of `{expected}`")
            }
            Self::Status {
                found: Some(found),
                expected,
            } => {
                write!(formatter, "with the answer {found} in place of {expected}")
            }
            Self::Status {
                found: None,
                expected,
            } => {
                write!(formatter, "without an answer in place of {expected}")
            }
            Self::Fault {
                found: Some(found),
                expected,
            } => {
                write!(
                    formatter,
                    "with the fault `{found}` in place of `{expected}`"
                )
            }
            Self::Fault {
                found: None,
                expected,
            } => {
                write!(formatter, "without the fault `{expected}`")
            }
            Self::BodyCut { length, kept } => write!(
                formatter,
                "with a body of {length} bytes, of which {kept} are kept and none are compared"
            ),
            Self::NoBody => formatter.write_str("without a body"),
            Self::NotJson => formatter.write_str("with a body that is no JSON"),
            Self::Body(difference) => difference.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_exact_a_template_or_a_beginning() {
        for (expected, path) in [
            ("/me", "/api/v1/me"),
            ("me", "/api/v1/me"),
            ("/api/v1/me", "/api/v1/me"),
            ("/users/grace/stats", "/api/v1/users/%67race/stats"),
            ("/me/links/{id}", "/api/v1/me/links/link_1"),
            ("/me/links/*", "/api/v1/me/links/link_1"),
            ("/me*", "/api/v1/me"),
            ("/api/*", "/api/v2/me"),
        ] {
            assert!(is_path(expected, path), "{expected} {path}");
        }
        for (expected, path) in [
            ("/me", "/me"),
            ("/me", "/api/v1/me/"),
            ("/me/links/{id}", "/api/v1/me/links/"),
            ("/me/links/{id}", "/api/v1/me/links/a/b"),
            ("/me/links/*", "/api/v1/me/links"),
            ("/users/a/b", "/api/v1/users/a%2Fb"),
        ] {
            assert!(!is_path(expected, path), "{expected} {path}");
        }
    }
}
