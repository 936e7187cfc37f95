//! A request as the engine sees it, whatever carried it here.

use std::fmt;

/// One HTTP request, as plain values.
///
/// ```
/// use mock_server::Request;
///
/// let request = Request::new("GET", "/api/v1/users/grace/stats?days=7")
///     .header("Authorization", "Bearer some-key");
/// assert_eq!(request.path, "/api/v1/users/grace/stats");
/// assert_eq!(request.query.as_deref(), Some("days=7"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The method as it was sent, such as `PATCH`; methods are case-sensitive.
    pub method: String,
    /// The path, still percent-encoded, without the query.
    pub path: String,
    /// What follows the `?`, still percent-encoded.
    pub query: Option<String>,
    /// Names and values in the order in which they came. Names are found in any case.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body; empty when there is none.
    pub body: Vec<u8>,
    /// How long a body was that a transport did not keep, because no endpoint takes so much.
    discarded: Option<usize>,
}

impl Request {
    /// A request without headers and body. `target` is a path, with or without `?` and a query.
    ///
    /// ```
    /// let request = mock_server::Request::new("GET", "/api/v1/stats");
    /// assert_eq!(request.query, None);
    /// ```
    pub fn new(method: impl Into<String>, target: &str) -> Self {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (target, None),
        };
        Self {
            method: method.into(),
            path: path.to_owned(),
            query,
            headers: Vec::new(),
            body: Vec::new(),
            discarded: None,
        }
    }

    /// Adds one header; an earlier one of the same name stays.
    ///
    /// ```
    /// let request = mock_server::Request::new("GET", "/api/v1/me").header("X-Trace", "1");
    /// assert_eq!(request.headers, [("X-Trace".to_owned(), "1".to_owned())]);
    /// ```
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body; the content type is a header of its own.
    ///
    /// ```
    /// let request = mock_server::Request::new("POST", "/api/v1/me/posts")
    ///     .header("Content-Type", "application/json")
    ///     .body(r#"{"body": "Hello"}"#);
    /// assert_eq!(request.body, br#"{"body": "Hello"}"#);
    /// ```
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Says that there was a body of this many bytes, which is not here.
    pub(crate) fn discarded_body(mut self, length: usize) -> Self {
        self.discarded = Some(length);
        self
    }

    /// How many bytes the body has, whether it was kept or not.
    pub(crate) fn body_length(&self) -> usize {
        self.discarded.unwrap_or(self.body.len())
    }

    pub(crate) fn header_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Request {
    /// Shows everything but the values of the headers, among which is the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("headers", &names)
            .field("body", &String::from_utf8_lossy(&self.body))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_the_key() {
        let request = Request::new("GET", "/api/v1/me").header("Authorization", "Bearer canary");
        assert!(!format!("{request:?}").contains("canary"));
    }
}
