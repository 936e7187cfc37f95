//! Recorded requests.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Serialize;

use crate::bytes_in_json;
use crate::engine::{Request, redact, redact_keys};

/// Headers with API keys, which are never recorded.
const SECRET_HEADERS: [&str; 2] = ["authorization", "proxy-authorization"];

/// Shorter values are not treated as secrets.
const MIN_SECRET_BYTES: usize = 8;

/// A received request without its API key, and the status of its response.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// for request in server.journal().requests() {
///     match request.status {
///         Some(status) => println!("{} was answered with {status}", request.path),
///         None => println!("{} met the fault {:?}", request.path, request.fault),
///     }
/// }
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The number of the request, starting at 1.
    pub number: u64,
    /// The time of the response by the world's clock: RFC 3339 in UTC, in milliseconds.
    pub at: String,
    /// The method.
    pub method: String,
    /// The path, percent-encoded as it was sent.
    pub path: String,
    /// The path of the endpoint, such as `/api/v1/me/links/{id}`; `None` for an unknown path.
    pub endpoint: Option<&'static str>,
    /// The query string, percent-encoded as it was sent.
    pub query: Option<String>,
    /// The name of the key: `all`, `none` and so on as in [`Keys`](crate::Keys), a name such as `key7`
    /// for a key that was created later, or `unknown`; `None` without a key.
    pub key: Option<String>,
    /// The headers in order, without `Authorization` and `Proxy-Authorization`.
    pub headers: Vec<(String, String)>,
    /// The body, possibly truncated. In JSON, a string, or `{"base64": "…"}` if it is not UTF-8.
    #[serde(with = "bytes_in_json")]
    pub body: Vec<u8>,
    /// The length of the whole body in bytes.
    pub body_length: usize,
    /// The status that the client received; `None` if the connection ended without a response.
    pub status: Option<u16>,
    /// The name of the fault that was applied, such as `reset`; `delay` only if there was no other
    /// fault.
    pub fault: Option<String>,
}

/// The recorded part of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedReply<'a> {
    /// The time by the world's clock.
    pub(crate) at: Timestamp,
    /// The path template of the endpoint; `None` for an unknown path.
    pub(crate) endpoint: Option<&'static str>,
    /// The name of the key, not the key itself.
    pub(crate) key: Option<&'a str>,
    /// `None` if the client received no response.
    pub(crate) status: Option<u16>,
    /// The name of the fault that was applied.
    pub(crate) fault: Option<&'a str>,
}

impl RecordedRequest {
    pub(super) fn new(
        number: u64,
        request: &Request,
        answered: &RecordedReply<'_>,
        body_limit: usize,
    ) -> Self {
        let secret = unknown_secret(request, answered);
        let redacted = |text: &str| without_secrets(text, secret).into_owned();
        let headers = request.headers.iter();
        Self {
            number,
            at: in_milliseconds(answered.at).to_string(),
            method: request.method.clone(),
            path: redacted(&request.path),
            endpoint: answered.endpoint,
            query: request.query.as_deref().map(redacted),
            key: answered.key.map(str::to_owned),
            headers: headers
                .filter(|(name, _)| !is_secret(name))
                .map(|(name, value)| (name.clone(), redacted(value)))
                .collect(),
            body: truncate(&request.body, body_limit).to_vec(),
            body_length: request.body.len(),
            status: answered.status,
            fault: answered.fault.map(str::to_owned),
        }
    }

    /// Returns the memory that the request occupies in bytes.
    pub(super) fn bytes(&self) -> usize {
        let texts = [Some(&self.at), Some(&self.method), Some(&self.path)];
        let optional = [self.query.as_ref(), self.key.as_ref(), self.fault.as_ref()];
        let texts = texts.into_iter().chain(optional).flatten().map(String::len);
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| size_of::<(String, String)>() + name.len() + value.len());
        size_of::<Self>() + texts.sum::<usize>() + headers.sum::<usize>() + self.body.len()
    }
}

/// Returns `true` if a header with this name is never recorded.
pub(super) fn is_secret(name: &str) -> bool {
    let mut secrets = SECRET_HEADERS.iter();
    secrets.any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Returns the credentials in `Authorization` if they are not a key of the mock, since they may be a
/// real secret. Short values are ignored, since redacting them would garble the request.
fn unknown_secret<'a>(request: &'a Request, answered: &RecordedReply<'_>) -> Option<&'a str> {
    let (Some("unknown" | "other"), Some(value)) =
        (answered.key, request.header_values("authorization").next())
    else {
        return None;
    };
    let secret = value
        .split_once(' ')
        .map_or(value, |(_, secret)| secret.trim());
    (secret.len() >= MIN_SECRET_BYTES).then_some(secret)
}

fn without_secrets<'a>(text: &'a str, foreign: Option<&str>) -> Cow<'a, str> {
    match foreign {
        None => redact_keys(text),
        Some(secret) => match redact(text, secret) {
            Cow::Borrowed(text) => redact_keys(text),
            Cow::Owned(text) => redact_keys(&text).into_owned().into(),
        },
    }
}

/// Returns at most `limit` bytes, without cutting a UTF-8 character in two.
fn truncate(body: &[u8], limit: usize) -> &[u8] {
    if body.len() <= limit {
        return body;
    }
    let is_inside_character = |end: usize| body[end] & 0b1100_0000 == 0b1000_0000;
    let end = (limit.saturating_sub(3)..=limit)
        .rev()
        .find(|end| !is_inside_character(*end));
    &body[..end.unwrap_or(limit)]
}

fn in_milliseconds(instant: Timestamp) -> Timestamp {
    // `Timestamp::MAX` cannot be converted from milliseconds.
    Timestamp::from_millisecond(instant.as_millisecond()).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_times_to_milliseconds() {
        let shown = |instant: Timestamp| in_milliseconds(instant).to_string();
        let instant = "2026-03-01T12:00:00.123456Z".parse().unwrap();
        assert_eq!(shown(instant), "2026-03-01T12:00:00.123Z");
        assert_eq!(shown(Timestamp::MAX), "9999-12-30T22:00:00.999999999Z");
    }

    #[test]
    fn truncates_a_body_between_characters() {
        assert_eq!(truncate("aé".as_bytes(), 2), b"a");
        assert_eq!(truncate("aé".as_bytes(), 3), "aé".as_bytes());
        assert_eq!(truncate("😀😀".as_bytes(), 7), "😀".as_bytes());
        assert_eq!(truncate(&[0x80; 9], 5), [0x80; 5]);
        assert_eq!(truncate(b"abc", 0), b"");
    }
}
