//! A response with all that came with it.

use std::borrow::Cow;

use crate::decode;
use crate::transport::raw_response::RawResponse;

/// What a call gives when it is sent with [`Call::send`](crate::Call::send): the value, the status,
/// the headers and the body.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let response = client.site_stats().send().await?;
/// assert_eq!(response.status(), 200);
/// assert_eq!(response.header("content-type"), Some("application/json"));
/// println!("as sent: {}", response.raw_data().unwrap_or("nothing"));
/// println!("users: {}", response.into_data().users);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Response<T> {
    data: T,
    raw: RawResponse,
}

impl<T> Response<T> {
    pub(crate) fn new(data: T, raw: RawResponse) -> Self {
        Self { data, raw }
    }

    /// The value that the response holds.
    #[must_use]
    pub fn data(&self) -> &T {
        &self.data
    }

    /// The value that the response holds, without the rest.
    #[must_use]
    pub fn into_data(self) -> T {
        self.data
    }

    /// The HTTP status, from 200 to 299; or 404 to a deletion that was repeated, because its first
    /// response was lost, and that found nothing left to delete.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.raw.status
    }

    /// A header of the response, where it is there and is text; the name's case does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.raw.header(name)
    }

    /// All headers of the response as they came, with names in lower case; what is no text is shown
    /// with a replacement character.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let response = client.site_stats().send().await?;
    /// for (name, value) in response.headers() {
    ///     println!("{name}: {value}");
    /// }
    /// assert!(response.headers().any(|(name, _)| name == "content-type"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let headers = self.raw.headers.iter();
        headers.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
    }

    /// The identifier that the service gave the request, to quote to its operators.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.raw.request_id()
    }

    /// The JSON text under `data` exactly as the service sent it, unknown fields and order kept;
    /// none where the body has no such field.
    #[must_use]
    pub fn raw_data(&self) -> Option<&str> {
        decode::raw_data(&self.raw.body)
    }

    /// The whole body, decompressed.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.raw.body
    }
}
