//! A response with its status code, headers and body.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::error::{AttemptSummary, RawResponse, is_page};

/// A response with its decoded data, as [`Call::send`](crate::Call::send) returns it.
///
/// `Debug` shows neither the data nor the body: they may be large, and a service may echo the key in
/// them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let response = client.site_stats().send().await?;
/// assert_eq!(response.status(), 200);
/// assert_eq!(response.header("content-type"), Some("application/json"));
/// println!("received: {}", response.raw_data().unwrap_or("nothing"));
/// println!("users: {}", response.into_data().users);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Response<T> {
    data: T,
    pub(crate) raw: RawResponse,
    pub(crate) summary: AttemptSummary,
}

impl<T> Response<T> {
    pub(crate) fn new(data: T, raw: RawResponse, summary: AttemptSummary) -> Self {
        Self { data, raw, summary }
    }

    /// Returns the decoded data.
    #[must_use]
    pub fn data(&self) -> &T {
        &self.data
    }

    /// Returns the decoded data and drops the rest.
    #[must_use]
    pub fn into_data(self) -> T {
        self.data
    }

    /// Returns the HTTP status code: 200 to 299, or 404 if a deletion was retried because its first
    /// response was lost, and the resource no longer exists.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.raw.status
    }

    /// Returns the number of requests sent, including retries.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.summary.attempts
    }

    /// Returns the duration of the call, including waits.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.summary.elapsed
    }

    /// Returns a header, or `None` if it is missing or not ASCII text. The name is not
    /// case-sensitive.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.raw.header(name)
    }

    /// Returns all headers, with names in lower case. Bytes that are not UTF-8 are replaced with
    /// U+FFFD.
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let headers = self.raw.headers.iter();
        headers.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
    }

    /// Returns the request ID from `X-Request-Id` or `Request-Id`, for support requests.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.raw.request_id()
    }

    /// Returns the JSON text of the field `data`, or `None` if there is no such field. It is as received, unless
    /// a part of it could not be read: then, with what the [guide](crate::guide#responses) lists.
    #[must_use]
    pub fn raw_data(&self) -> Option<&str> {
        self.raw.body.data().ok()
    }

    /// Returns `true` if the body is an HTML page, as of a proxy or the login of a network. Such a response
    /// is probably not from the service, so a write may not have been applied although the call succeeded.
    #[must_use]
    pub fn is_page(&self) -> bool {
        is_page(&self.raw.body.bytes)
    }

    /// Returns the whole decompressed body. Empty if the call is a write and its body could not be
    /// read completely.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.raw.body.bytes
    }
}

impl<T> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status())
            .field("attempts", &self.attempts())
            .field("elapsed", &self.elapsed())
            .field("body_bytes", &self.raw.body.bytes.len())
            .finish_non_exhaustive()
    }
}
