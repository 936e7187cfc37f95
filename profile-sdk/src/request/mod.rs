//! A request as a plain value, made by the resources' files and sent by the transport.

mod operation;
pub(crate) mod path;

pub use operation::{Method, Operation};

use bytes::Bytes;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Serialize;

use crate::request::path::segment;

/// A request that has not been sent: what to do, where, and with which body.
///
/// It holds no key, unless the caller of [`Client::raw_call`](crate::Client::raw_call) wrote it into a
/// path, a query or a body, so all of it can be printed. [`Call::request`](crate::Call::request)
/// gives it.
///
/// ```
/// use profile_sdk::{Client, Days, Handle};
///
/// let client = Client::builder().base_url("https://profiles.example").build()?;
/// let call = client.user_stats(&Handle::new("a/b")?, Days::new(7)?);
/// let request = call.request().expect("a call that can be sent");
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
    /// Those of this request alone, marked as sensitive.
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<Bytes>,
}

impl Request {
    /// A request to a path without parameters.
    pub(crate) fn new(operation: Operation) -> Self {
        Self {
            path: operation.path_template().to_owned(),
            operation,
            query: None,
            headers: Vec::new(),
            body: None,
        }
    }

    /// A request to a path with one parameter, whose value becomes one percent-encoded segment.
    pub(crate) fn with_parameter(operation: Operation, name: &str, value: &str) -> Self {
        let path = operation
            .path_template()
            .replace(&format!("{{{name}}}"), &segment(value).to_string());
        Self {
            path,
            ..Self::new(operation)
        }
    }

    /// The same request to a path that is encoded already.
    pub(crate) fn path_as(mut self, path: String) -> Self {
        self.path = path;
        self
    }

    /// The same request with `query`, which is encoded already.
    pub(crate) fn query_string(mut self, query: String) -> Self {
        self.query = Some(query);
        self
    }

    /// The same request for an operation that was builder anew.
    pub(crate) fn operation_as(mut self, change: impl FnOnce(Operation) -> Operation) -> Self {
        self.operation = change(self.operation);
        self
    }

    /// The same request with a header, in place of one of the same name.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        self
    }

    /// The same request with a body that is JSON already.
    pub(crate) fn json_text(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The same request with one more parameter in its query.
    pub(crate) fn query_parameter(mut self, name: &str, value: &str) -> Self {
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&format!("{}={}", segment(name), segment(value)));
        self
    }

    /// The same request with a JSON body.
    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("our request bodies are texts in structs");
        self.body = Some(body.into());
        self
    }

    /// The endpoint that the request is for.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.operation.method()
    }

    /// The path from `/api/v1` on, percent-encoded.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The query, percent-encoded and without its question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// The body, which is JSON where there is one.
    #[must_use]
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// The headers that were given to this request alone.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// The body as the transport sends it, without a copy.
    pub(crate) fn body_bytes(&self) -> Option<Bytes> {
        self.body.clone()
    }
}
