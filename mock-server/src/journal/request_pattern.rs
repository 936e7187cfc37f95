//! Patterns that requests are matched against.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{Keys, check_path};
use crate::input::{self, InvalidInput, Result};
use crate::redaction::{is_secret_header, redact_keys};

/// A pattern that requests are matched against. Conditions that are not set match every request.
///
/// A path is exact (`/me/profile`), a template (`/me/links/{id}`, where the braces match one segment)
/// or a prefix (`/me/*`). It is relative to `/api/v1` unless it starts with `/api/`.
///
/// One pattern serves fault rules, expectations and the journal; a fault rule cannot require a `status`
/// or a `fault`. Methods, paths and keys that no request can have are rejected where a pattern is used.
///
/// In JSON, a pattern has the fields `method`, `path`, `query` and `headers` (objects; `null` requires
/// that the parameter or header is absent), `body_contains`, `body`, `key`, `status` and `fault`.
/// Unknown fields are rejected.
///
/// ```
/// use mock_server::journal::RequestPattern;
/// use serde_json::json;
///
/// let pattern = RequestPattern::new("GET", "/users/{handle}/stats").query("days", "7");
/// let read = json!({"method": "GET", "path": "/users/{handle}/stats", "query": {"days": "7"}});
/// assert_eq!(serde_json::from_value::<RequestPattern>(read)?, pattern);
/// assert_eq!(pattern.to_string(), "GET /users/{handle}/stats with the query parameter `days=7`");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[must_use]
pub struct RequestPattern {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) query: BTreeMap<String, Option<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, Option<String>>,
    #[serde(deserialize_with = "input::nullable")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body_contains: Option<Value>,
    #[serde(deserialize_with = "input::nullable")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<String>,
}

/// Methods that a pattern can require: those of the endpoints, and those that a client may use in their
/// place.
const METHODS: [&str; 7] = ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS"];

/// Names of keys that the mock server did not generate; see
/// [`RecordedRequest::key`](crate::journal::RecordedRequest::key).
const OTHER_KEYS: [&str; 2] = ["other", "unknown"];

impl RequestPattern {
    /// Creates a pattern for requests with this method and path.
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            method: Some(method.into()),
            path: Some(path.into()),
            ..Self::default()
        }
    }

    /// Creates a pattern that matches every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requires this method.
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Requires this path.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Requires this query parameter. Name and value are compared percent-decoded.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.insert(name.into(), Some(value.into()));
        self
    }

    /// Requires this header. Names are case-insensitive. `Authorization` is not recorded and is
    /// rejected; use [`key`](Self::key) instead.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), Some(value.into()));
        self
    }

    /// Requires a JSON body that contains `part`. Objects may have additional fields; arrays must have
    /// the same length, and other values must be equal. A truncated body does not match.
    pub fn body_contains(mut self, part: Value) -> Self {
        self.body_contains = Some(part);
        self
    }

    /// Requires a JSON body that equals this value.
    pub fn body(mut self, whole: Value) -> Self {
        self.body = Some(whole);
        self
    }

    /// Requires the key with this name; see
    /// [`RecordedRequest::key`](crate::journal::RecordedRequest::key).
    pub fn key(mut self, label: impl Into<String>) -> Self {
        self.key = Some(label.into());
        self
    }

    /// Requires a response with this status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Requires that the fault with this name was applied; see
    /// [`RecordedRequest::fault`](crate::journal::RecordedRequest::fault).
    pub fn fault(mut self, name: impl Into<String>) -> Self {
        self.fault = Some(name.into());
        self
    }

    /// Rejects a pattern that no request can match.
    pub(crate) fn check(&self) -> Result<()> {
        let is_unknown = |method: &&String| !METHODS.contains(&method.as_str());
        let message = if let Some(name) = self.headers.keys().find(|name| is_secret_header(name)) {
            format!("the header `{name}` is never recorded; use `key` instead")
        } else if let Some(method) = self.method.as_ref().filter(is_unknown) {
            let known = METHODS.join(", ");
            format!("unknown method {method:?}; expected one of {known}")
        } else if let Some(key) = self.key.as_ref().filter(|key| !is_key_name(key)) {
            format!(
                "no key has the name {:?}; expected one of {}, {}, or a name such as key7",
                redact_keys(key),
                Keys::NAMES.join(", "),
                OTHER_KEYS.join(", ")
            )
        } else if let Some(status) = self.status.filter(|status| !(100..=999).contains(status)) {
            format!("no response has the status {status}; expected 100 to 999")
        } else {
            return self.path.as_deref().map_or(Ok(()), check_path);
        };
        Err(unmatchable(message))
    }

    /// Does the same for a pattern of requests that have no response yet.
    pub(crate) fn check_request(&self) -> Result<()> {
        if self.status.is_some() || self.fault.is_some() {
            let message = "a request has no `status` or `fault` before it is answered; remove them";
            return Err(unmatchable(message.to_owned()));
        }
        match &self.key {
            Some(key) if OTHER_KEYS.contains(&key.as_str()) => Err(unmatchable(format!(
                "the key `{key}` is recognized only after the request; use the name of a key"
            ))),
            _ => self.check(),
        }
    }

    fn conditions(&self) -> Vec<String> {
        let named = |what, separator, (name, value): (&String, &Option<String>)| match value {
            Some(value) => format!("with the {what} `{name}{separator}{value}`"),
            None => format!("without the {what} `{name}`"),
        };
        let (query, headers) = (self.query.iter(), self.headers.iter());
        let query = query.map(|pair| named("query parameter", "=", pair));
        let headers = headers.map(|pair| named("header", ": ", pair));
        let (part, body) = (self.body_contains.as_ref(), self.body.as_ref());
        let (key, fault) = (self.key.as_deref().map(redact_keys), self.fault.as_ref());
        let others = [
            part.map(|part| format!("with a body containing {part}")),
            body.map(|body| format!("with the body {body}")),
            key.map(|key| format!("with the key `{key}`")),
            self.status.map(|status| format!("answered with {status}")),
            fault.map(|fault| format!("with the fault `{fault}`")),
        ];
        let others = others.into_iter().flatten();
        query.chain(headers).chain(others).collect()
    }
}

impl fmt::Display for RequestPattern {
    /// Writes a description such as ``PATCH /me/profile with a body containing {"bio":"x"} and with the key `all` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.method, &self.path) {
            (Some(method), Some(path)) => write!(f, "{method} {path}")?,
            (Some(method), None) => write!(f, "any {method}")?,
            (None, Some(path)) => write!(f, "any request to {path}")?,
            (None, None) => f.write_str("any request")?,
        }
        let conditions = self.conditions();
        if !conditions.is_empty() {
            write!(f, " {}", join(&conditions))?;
        }
        Ok(())
    }
}

/// Returns `true` for a name that [`RecordedRequest::key`](crate::journal::RecordedRequest::key) can
/// have.
fn is_key_name(key: &str) -> bool {
    let is_number = |digits: &str| digits.parse::<u64>().is_ok();
    Keys::NAMES.contains(&key)
        || OTHER_KEYS.contains(&key)
        || key.strip_prefix("key").is_some_and(is_number)
}

fn unmatchable(message: String) -> InvalidInput {
    InvalidInput::new("unmatchable_pattern", message)
}

/// Joins items as `a`, `a and b` or `a, b and c`.
pub(super) fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
