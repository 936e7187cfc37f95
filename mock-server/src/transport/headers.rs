//! Conversions between headers of the engine and of the `http` crate.

use std::borrow::Cow;

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
    lines
        .into_iter()
        .map(|(name, value)| (header_name(name), header_value(value)))
}

fn header_name(name: Cow<'static, str>) -> HeaderName {
    match name {
        Cow::Borrowed(known) => HeaderName::from_static(known),
        Cow::Owned(name) => HeaderName::try_from(name).expect("header names of a reply are valid"),
    }
}

fn header_value(value: Cow<'static, str>) -> HeaderValue {
    match value {
        Cow::Borrowed(known) => HeaderValue::from_static(known),
        // A method or path in a rejection came through hyper, so it is valid in a header.
        Cow::Owned(value) => {
            HeaderValue::try_from(value).expect("header values of a reply are valid")
        }
    }
}
