//! Recorded requests.

use serde::Serialize;

use super::request_outcome::RequestOutcome;
use crate::engine::Violation;
use crate::input::bytes_in_json;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The number of the request, starting at 1.
    pub number: u64,
    /// The time of the response, or of the request if it has none, by the world's clock: RFC 3339 in UTC, in milliseconds.
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
    /// The body, possibly truncated, with `…` in place of API keys. In JSON, a string, or
    /// `{"base64": "…"}` if it is not UTF-8.
    #[serde(with = "bytes_in_json")]
    pub body: Vec<u8>,
    /// The length of the whole body in bytes.
    pub body_length: usize,
    #[serde(skip)]
    pub(super) is_body_truncated: bool,
    /// The outcome of the request.
    pub outcome: RequestOutcome,
    /// The status that the client received; `None` if it received none.
    pub status: Option<u16>,
    /// The name of the fault that was applied, such as `reset`; `delay` only if there was no other
    /// fault.
    pub fault: Option<String>,
    /// The rules of the specification that the request violated.
    pub violations: Vec<Violation>,
    /// The headers of the response, without those that the HTTP library adds, such as
    /// `Content-Length`.
    pub response_headers: Vec<(String, String)>,
    /// The body of the response, like [`body`](Self::body). A wire fault may have truncated it on its
    /// way. Not compressed by the dialect.
    #[serde(with = "bytes_in_json")]
    pub response_body: Vec<u8>,
    /// The length of the whole body of the response in bytes.
    pub response_body_length: u64,
}
