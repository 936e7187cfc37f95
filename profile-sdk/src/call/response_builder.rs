//! A builder for responses; feature `testing`.

use std::time::Duration;

use crate::call::Response;
use crate::error::AttemptSummary;
use crate::error::raw_response::RawResponse;

/// A builder for a [`Response`], as [`Call::send`](crate::Call::send) returns it.
///
/// ```
/// use profile_sdk::Link;
/// use profile_sdk::testing::ResponseBuilder;
///
/// let mut link = Link::default();
/// link.title = Some("My site".to_owned());
/// let response = ResponseBuilder::new(link)
///     .status(201)
///     .header("x-request-id", "r-1")
///     .build();
/// assert_eq!(response.request_id(), Some("r-1"));
/// assert_eq!(response.into_data().title.as_deref(), Some("My site"));
/// ```
#[derive(Debug)]
#[must_use]
pub struct ResponseBuilder<T> {
    response: Response<T>,
}

impl<T> ResponseBuilder<T> {
    /// Creates a builder for a response with status code 200, without headers and body, after one
    /// attempt that took no time.
    pub fn new(data: T) -> Self {
        let raw = RawResponse {
            status: 200,
            ..RawResponse::default()
        };
        let summary = AttemptSummary {
            attempts: 1,
            ..AttemptSummary::default()
        };
        Self {
            response: Response::new(data, raw, summary),
        }
    }

    /// Sets the status code.
    pub fn status(mut self, status: u16) -> Self {
        self.response.raw.status = status;
        self
    }

    /// Adds a header.
    ///
    /// # Panics
    ///
    /// Panics if the name or the value is not valid in HTTP.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.response.raw.add_header(name, value);
        self
    }

    /// Sets the body. Does not change the data.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.response.raw.body = body.into().into();
        self
    }

    /// Sets the number of requests sent and the duration of the call.
    pub fn attempts(mut self, attempts: u32, elapsed: Duration) -> Self {
        self.response.summary.attempts = attempts;
        self.response.summary.elapsed = elapsed;
        self
    }

    /// Creates the response.
    #[must_use]
    pub fn build(self) -> Response<T> {
        self.response
    }
}
