//! A request as a plain value.

pub(crate) mod headers;
mod operation;
pub(crate) mod path;

pub use operation::{Method, Operation};

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Serialize;

use crate::request::headers::custom_header;
use crate::values::InvalidValue;
use crate::values::path_segment::segment;

/// A request that has not been sent.
///
/// Returned by [`Call::request`](crate::Call::request). It does not contain the key, unless the
/// caller passed it to a [raw call](crate::Client::raw_call) in the path, the query or the body.
///
/// ```
/// use profile_sdk::{Client, Days, Handle};
///
/// let client = Client::builder().base_url("https://profiles.example").build()?;
/// let call = client.user_stats(&Handle::new("a/b")?, Days::new(7)?);
/// let request = call.request().expect("a valid call");
/// assert_eq!(request.method().as_str(), "GET");
/// assert_eq!(request.path(), "/api/v1/users/a%2Fb/stats");
/// assert_eq!(request.query(), Some("days=7"));
/// assert_eq!(request.body(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    operation: Operation,
    path: String,
    query: Option<String>,
    /// The headers of this request only, marked as sensitive.
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<Bytes>,
}

impl Request {
    /// Creates a request to a path without parameters.
    pub(crate) fn new(operation: Operation) -> Self {
        let path = operation.path_template().to_owned();
        Self::with_path(operation, path)
    }

    /// Creates a request with another path than that of the operation.
    pub(crate) fn with_path(operation: Operation, path: String) -> Self {
        Self {
            path,
            operation,
            query: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// Creates a request with a parameter in its path, which is percent-encoded.
    pub(crate) fn with_parameter(operation: Operation, name: &str, value: &str) -> Self {
        let parameter = format!("{{{name}}}");
        let path = operation
            .path_template()
            .replace(&parameter, &segment(value).to_string());
        Self::with_path(operation, path)
    }

    /// Adds to the query what is already encoded.
    pub(crate) fn encoded_query(mut self, added: &str) -> Self {
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(added);
        self
    }

    /// Marks the request as idempotent.
    pub(crate) fn idempotent(mut self) -> Self {
        self.operation = self.operation.idempotent();
        self
    }

    /// Sets a header of the caller, replacing one with the same name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Result<Self, InvalidValue> {
        let (name, value) = custom_header(name, value)?;
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Sets the body, which is already JSON.
    pub(crate) fn json_text(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Adds a parameter to the query.
    pub(crate) fn query_parameter(self, name: &str, value: &str) -> Self {
        self.encoded_query(&format!("{}={}", segment(name), segment(value)))
    }

    /// Sets the body to a serialized value.
    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("structs of strings are valid JSON");
        self.body = Some(body.into());
        self
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.operation.method()
    }

    /// Returns the percent-encoded path, starting with `/api/v1`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the percent-encoded query, without its question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns the body, which is JSON.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// Returns the handle or ID in the path, if the endpoint has one.
    pub(crate) fn resource(&self) -> Option<String> {
        let (before, parameter) = self.operation.path_template().split_once('{')?;
        let (_, after) = parameter.split_once('}')?;
        let encoded = self.path.strip_prefix(before)?.strip_suffix(after)?;
        Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned())
    }

    /// Returns the headers of this request only.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// Returns the body without copying it.
    pub(crate) fn body_bytes(&self) -> Option<Bytes> {
        self.body.clone()
    }
}
