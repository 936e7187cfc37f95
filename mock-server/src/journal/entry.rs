//! A recorded request with its outcome and response, and how it is formatted.

use bytes::Bytes;
use http::Version;
use jiff::Timestamp;
use serde::Serialize;

use super::RequestPattern;
use super::difference::{differences, has_method, has_path};
use crate::engine::{HeaderLines, Request, Violation, host};
use crate::input::BytesInJson;
use crate::redaction::{is_secret_header, label};

/// A received request and its response, without API keys.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// for request in server.journal().requests() {
///     println!("{}: {:?} with {:?}", request.path, request.outcome, request.status);
/// }
/// # });
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The number of the request, starting at 1.
    pub number: u64,
    /// The time of the response, or of the request if it has none, by the world's clock: RFC 3339 in UTC, in milliseconds.
    pub at: String,
    /// The same time as it was measured, which orders requests of one millisecond.
    #[serde(skip)]
    pub(super) instant: Timestamp,
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
    /// The headers in order, without `Authorization`, `Proxy-Authorization` and `X-Api-Key`.
    pub headers: Vec<(String, String)>,
    /// The body, possibly truncated, with `…` in place of API keys. In JSON, a string, or
    /// `{"base64": "…"}` if it is not UTF-8.
    #[serde(with = "BytesInJson")]
    pub body: Vec<u8>,
    /// The length of the whole body in bytes.
    pub body_length: usize,
    #[serde(skip)]
    pub(super) is_body_truncated: bool,
    /// The target as it was sent, without user and password.
    #[serde(skip)]
    pub(super) target: String,
    #[serde(skip)]
    pub(super) version: Version,
    /// The outcome of the request.
    pub outcome: RequestOutcome,
    /// The status that the client received; `None` if it received none.
    pub status: Option<u16>,
    /// The name of the fault that was applied, such as `reset`; `delay` only if there was no other
    /// fault.
    pub fault: Option<String>,
    /// The rules of the specification that the request violated.
    pub violations: Vec<Violation>,
    /// `true` if a web page of another origin sent the request. Then its violations count only if
    /// [CORS](crate::MockServerBuilder::cors) is allowed.
    pub cross_origin: bool,
    /// The headers of the response, without those that the HTTP library adds, such as
    /// `Content-Length`.
    pub response_headers: Vec<(String, String)>,
    /// The body of the response, like [`body`](Self::body). A wire fault may have truncated it on its
    /// way. Not compressed by the dialect.
    #[serde(with = "BytesInJson")]
    pub response_body: Vec<u8>,
    /// The length of the whole body of the response in bytes.
    pub response_body_length: u64,
    #[serde(skip)]
    pub(super) is_response_truncated: bool,
}

/// The outcome of a received request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RequestOutcome {
    /// A fault delays the request or its response.
    #[default]
    Delayed,
    /// A fault has answered the request, which is carried out later.
    Late,
    /// The whole response was passed to the connection.
    Responded,
    /// The client disconnected during a delay or a slow response. Before the write, nothing was written;
    /// after it, the response was lost.
    Abandoned,
    /// A fault of the connection replaced or truncated the response.
    ConnectionFault,
    /// The response was handed over to wiremock.
    HandedOver,
}

/// A request and its response as they were received and sent, including the key. Formatting and
/// redaction wait until the journal is read.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) request: Request,
    /// The keys of the world that were not generated.
    pub(crate) other_keys: Vec<String>,
    /// The time by the world's clock.
    pub(crate) at: Timestamp,
    /// The path template of the endpoint; `None` for an unknown path.
    pub(crate) endpoint: Option<&'static str>,
    /// `true` if the world has the key of the request.
    pub(crate) has_known_key: bool,
    /// The name of the fault that was applied.
    pub(crate) fault: Option<&'static str>,
    pub(crate) violations: Vec<Violation>,
    /// `true` if a web page of another origin sent the request.
    pub(crate) is_cross_origin: bool,
    pub(crate) outcome: RequestOutcome,
    /// `None` if no response was sent.
    pub(crate) response: Option<Response>,
}

/// The recorded part of a response.
#[derive(Clone, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderLines,
    pub(crate) body: Bytes,
    /// The length of the whole body in bytes.
    pub(crate) body_length: u64,
}

impl Entry {
    /// Truncates the bodies.
    pub(super) fn limit_bodies(&mut self, limit: usize) {
        let length = truncated_length(&self.request.body, limit);
        if length < self.request.body.len() {
            self.request.discard_body_after(length);
        }
        if let Some(response) = &mut self.response {
            let length = truncated_length(&response.body, limit);
            if length < response.body.len() {
                // A slice would keep the whole body in memory.
                response.body = Bytes::copy_from_slice(&response.body[..length]);
            }
        }
    }

    /// Returns the memory that the entry occupies in bytes.
    pub(super) fn bytes(&self) -> usize {
        let request = &self.request;
        let query = request.query.as_ref().map_or(0, String::len);
        let response = self.response.as_ref().map_or(0, |response| {
            header_bytes(&response.headers) + response.body.len()
        });
        size_of::<Self>()
            + request.method.len()
            + request.path.len()
            + request.sent.as_ref().map_or(0, |sent| sent.len())
            + query
            + header_bytes(&request.headers)
            + request.body.len()
            + self.other_keys.iter().map(String::len).sum::<usize>()
            + self.violations.iter().map(violation_bytes).sum::<usize>()
            + response
    }

    /// Returns the request without its keys.
    pub(super) fn format(&self, number: u64) -> RecordedRequest {
        let secrets = self.request.secrets(&self.other_keys);
        let redact = |text: &str| secrets.redact(text);
        let headers = self.request.headers.iter();
        let headers = headers.filter(|(name, _)| !is_secret_header(name));
        let shown = |name: &str, value| if name == "host" { host(value) } else { value };
        let redact_body = |body: &[u8], length: u64| match (body.len() as u64) < length {
            true => secrets.redact_truncated(body),
            false => secrets.redact_bytes(body),
        };
        let body_length = self.request.body_length();
        let none = Response::default();
        let response = self.response.as_ref().unwrap_or(&none);
        let response_headers = response.headers.iter();
        RecordedRequest {
            number,
            at: in_milliseconds(self.at).to_string(),
            instant: self.at,
            method: redact(&self.request.method),
            path: redact(&self.request.path),
            endpoint: self.endpoint,
            query: self.request.query.as_deref().map(redact),
            key: self.key().map(str::to_owned),
            headers: headers
                .map(|(name, value)| (redact(name), redact(shown(name, value))))
                .collect(),
            body: redact_body(&self.request.body, body_length as u64),
            body_length,
            is_body_truncated: self.request.body.len() < body_length,
            target: redact(&self.request.target()),
            version: self.request.version,
            outcome: self.outcome,
            status: self.status(),
            fault: self.fault.map(str::to_owned),
            violations: self.violations.clone(),
            cross_origin: self.is_cross_origin,
            response_headers: response_headers
                .map(|(name, value)| (redact(name), redact(value)))
                .collect(),
            response_body: redact_body(&response.body, response.body_length),
            response_body_length: response.body_length,
            is_response_truncated: (response.body.len() as u64) < response.body_length,
        }
    }

    /// Returns `true` if the request matches. It is formatted only for conditions on texts that may contain keys.
    pub(super) fn matches(&self, pattern: &RequestPattern) -> bool {
        let is_redacted = pattern.path.as_ref().is_some_and(|path| path.contains('…'));
        has_method(pattern, &self.request.method)
            && (is_redacted || has_path(pattern, &self.request.path))
            && (pattern.key.as_deref()).is_none_or(|key| self.key() == Some(key))
            && (pattern.status).is_none_or(|status| self.status() == Some(status))
            && (pattern.fault.as_deref()).is_none_or(|fault| self.fault == Some(fault))
            && (!is_redacted && !pattern.has_texts()
                || differences(pattern, &self.format(0)).is_empty())
    }

    /// Returns the status that the client received.
    fn status(&self) -> Option<u16> {
        match self.outcome {
            RequestOutcome::Delayed | RequestOutcome::Abandoned => None,
            RequestOutcome::Late
            | RequestOutcome::Responded
            | RequestOutcome::ConnectionFault
            | RequestOutcome::HandedOver => self.response.as_ref().map(|one| one.status),
        }
    }

    /// Returns a line for the log.
    pub(crate) fn log_line(&self) -> String {
        let status = match &self.response {
            Some(response) => response.status.to_string(),
            None => "no response".to_owned(),
        };
        let fault = self.fault.map(|fault| format!(" ({fault})"));
        let fault = fault.unwrap_or_default();
        let line = request_line(&self.request, &self.other_keys);
        format!("{line} {status}{fault}")
    }

    /// Returns the printable name of the key: `all` for `mock_all_0123456789abcdef`, `other` for a
    /// known key with another format, and `unknown` for an unknown key.
    fn key(&self) -> Option<&str> {
        self.request.authorization()?;
        let known = self.request.key().filter(|_| self.has_known_key);
        Some(known.map_or("unknown", |token| label(token).unwrap_or("other")))
    }
}

/// Returns the start of a line for the log: the method, the target and the name of the key.
pub(crate) fn request_line(request: &Request, other_keys: &[String]) -> String {
    let secrets = request.secrets(other_keys);
    let method = secrets.redact(&request.method);
    let target = secrets.redact(&request.target());
    let key = match request.authorization() {
        None => "without key",
        Some(_) => request.key().and_then(label).unwrap_or("with a key"),
    };
    format!("{method} {target} ({key})")
}

fn violation_bytes(violation: &Violation) -> usize {
    let field = violation.field.as_ref().map_or(0, String::len);
    size_of::<Violation>()
        + violation.found.len()
        + field
        + violation.method.len()
        + violation.path.len()
}

fn header_bytes<T: AsRef<str>>(headers: &[(T, T)]) -> usize {
    let texts = headers.iter().flat_map(|(name, value)| [name, value]);
    texts
        .map(|text| size_of::<String>() + text.as_ref().len())
        .sum()
}

/// Returns the length of the body within the limit, without cutting a UTF-8 character in two.
fn truncated_length(body: &[u8], limit: usize) -> usize {
    if body.len() <= limit {
        return body.len();
    }
    let is_inside_character = |end: usize| body[end] & 0b1100_0000 == 0b1000_0000;
    let mut ends = (limit.saturating_sub(3)..=limit).rev();
    let end = ends.find(|end| !is_inside_character(*end));
    end.unwrap_or(limit)
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
        assert_eq!(truncated_length("aé".as_bytes(), 2), 1);
        assert_eq!(truncated_length("aé".as_bytes(), 3), 3);
        assert_eq!(truncated_length("😀😀".as_bytes(), 7), 4);
        assert_eq!(truncated_length(&[0x80; 9], 5), 5);
        assert_eq!(truncated_length(b"abc", 0), 0);
    }
}
