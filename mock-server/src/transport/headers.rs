//! Conversions between headers of the engine and of the `http` crate.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::engine::HeaderLines;

/// Converts the headers of a request for the engine.
pub(super) fn texts(given: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let given = given.iter();
    given
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// Converts the headers of a reply.
pub(super) fn headers(lines: HeaderLines) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    lines.into_iter().map(|(name, value)| {
        let name = HeaderName::try_from(&*name).expect("header names of a reply are valid");
        // A method or path in a rejection came through hyper, so it is valid in a header.
        let value = HeaderValue::try_from(&*value).expect("header values of a reply are valid");
        (name, value)
    })
}
