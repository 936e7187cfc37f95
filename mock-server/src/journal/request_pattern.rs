//! Patterns that requests are matched against.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::engine::path_pattern;
use crate::input::InvalidInput;
use crate::input::read_json;
use crate::redaction::{is_secret_header, redact_keys};

/// A pattern that requests are matched against. Conditions that are not set match every request.
///
/// A path is exact (`/me/profile`), a template (`/me/links/{id}`, where the braces match one segment)
/// or a prefix (`/me/*`). It is relative to `/api/v1` unless it starts with `/api/`.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestPattern {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) query: BTreeMap<String, Option<String>>,
    pub(crate) headers: BTreeMap<String, Option<String>>,
    #[serde(deserialize_with = "read_json::nullable")]
    pub(crate) body_contains: Option<Value>,
    #[serde(deserialize_with = "read_json::nullable")]
    pub(crate) body: Option<Value>,
    pub(crate) key: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) fault: Option<String>,
}

impl RequestPattern {
    /// Creates a pattern for requests with this method and path.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// assert_eq!(RequestPattern::new("GET", "/me").to_string(), "GET /me");
    /// ```
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            method: Some(method.into()),
            path: Some(path.into()),
            ..Self::default()
        }
    }

    /// Creates a pattern that matches every request.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// assert_eq!(RequestPattern::any().status(422).to_string(), "any request answered with 422");
    /// ```
    pub fn any() -> Self {
        Self::default()
    }

    /// Requires this method.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// assert_eq!(RequestPattern::any().method("GET").to_string(), "any GET");
    /// ```
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Requires this path.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// assert_eq!(RequestPattern::any().path("/me").to_string(), "any request to /me");
    /// ```
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Requires this query parameter. Name and value are compared percent-decoded.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let week = RequestPattern::new("GET", "/users/demo/stats").query("days", "7");
    /// ```
    #[must_use]
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.insert(name.into(), Some(value.into()));
        self
    }

    /// Requires that this query parameter is absent.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let default = RequestPattern::new("GET", "/users/demo/stats").without_query("days");
    /// ```
    #[must_use]
    pub fn without_query(mut self, name: impl Into<String>) -> Self {
        self.query.insert(name.into(), None);
        self
    }

    /// Requires this header. Names are case-insensitive. `Authorization` is not recorded and is
    /// rejected; use [`key`](Self::key) instead.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let json = RequestPattern::any().header("Content-Type", "application/json");
    /// ```
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), Some(value.into()));
        self
    }

    /// Requires that this header is absent.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let quiet = RequestPattern::any().without_header("X-Debug");
    /// ```
    #[must_use]
    pub fn without_header(mut self, name: impl Into<String>) -> Self {
        self.headers.insert(name.into(), None);
        self
    }

    /// Requires a JSON body that contains `part`. Objects may have additional fields; arrays must have
    /// the same length, and other values must be equal. A truncated body does not match.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// use serde_json::json;
    /// let named = RequestPattern::new("PATCH", "/me/profile")
    ///     .body_contains(json!({"display_name": "Ada"}));
    /// ```
    #[must_use]
    pub fn body_contains(mut self, part: Value) -> Self {
        self.body_contains = Some(part);
        self
    }

    /// Requires a JSON body that equals this value.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// use serde_json::json;
    /// let exact = RequestPattern::new("POST", "/me/posts").body(json!({"body": "Hello"}));
    /// ```
    #[must_use]
    pub fn body(mut self, whole: Value) -> Self {
        self.body = Some(whole);
        self
    }

    /// Requires the key with this name; see
    /// [`RecordedRequest::key`](crate::journal::RecordedRequest::key).
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let forbidden = RequestPattern::any().key("none").status(403);
    /// ```
    #[must_use]
    pub fn key(mut self, label: impl Into<String>) -> Self {
        self.key = Some(label.into());
        self
    }

    /// Requires a response with this status.
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let rejected = RequestPattern::new("PATCH", "/me/profile").status(422);
    /// ```
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Requires that the fault with this name was applied; see
    /// [`RecordedRequest::fault`](crate::journal::RecordedRequest::fault).
    ///
    /// ```
    /// use mock_server::journal::RequestPattern;
    /// let lost = RequestPattern::new("POST", "/me/posts").fault("reset");
    /// ```
    #[must_use]
    pub fn fault(mut self, name: impl Into<String>) -> Self {
        self.fault = Some(name.into());
        self
    }

    /// Rejects a path that no endpoint has, and headers that are never recorded.
    pub(crate) fn check(&self) -> Result<(), InvalidInput> {
        if let Some(name) = self.headers.keys().find(|name| is_secret_header(name)) {
            let message = format!("the header `{name}` is never recorded; use `key` instead");
            return Err(InvalidInput::new("unmatchable_pattern", message));
        }
        self.path.as_deref().map_or(Ok(()), path_pattern::check)
    }

    fn conditions(&self) -> Vec<String> {
        let named = |what, separator, (name, value): (&String, &Option<String>)| match value {
            Some(value) => format!("with the {what} `{name}{separator}{value}`"),
            None => format!("without the {what} `{name}`"),
        };
        let query = self
            .query
            .iter()
            .map(|pair| named("query parameter", "=", pair));
        let headers = self.headers.iter().map(|pair| named("header", ": ", pair));
        let part = self.body_contains.iter();
        let others = part
            .map(|part| format!("with a body containing {part}"))
            .chain(self.body.iter().map(|body| format!("with the body {body}")))
            .chain(
                self.key
                    .iter()
                    .map(|key| format!("with the key `{}`", redact_keys(key))),
            )
            .chain(
                self.status
                    .iter()
                    .map(|status| format!("answered with {status}")),
            )
            .chain(
                self.fault
                    .iter()
                    .map(|fault| format!("with the fault `{fault}`")),
            );
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

/// Joins items as `a`, `a and b` or `a, b and c`.
pub(super) fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
