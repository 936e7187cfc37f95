//! A builder for errors; feature `testing`.

use std::time::Duration;

use crate::error::{CANCELED, Effect, Error, ErrorKind, RawResponse, read_error_body};
use crate::json::Body;
use crate::request::Operation;

/// A builder for an [`Error`] of any kind.
///
/// ```
/// use profile_sdk::testing::ErrorBuilder;
/// use profile_sdk::{ErrorKind, Operation};
///
/// let error = ErrorBuilder::new(ErrorKind::Timeout)
///     .operation(Operation::CREATE_LINK)
///     .build();
/// assert!(error.may_have_been_applied());
/// assert!(!error.is_retryable());
///
/// let error = ErrorBuilder::new(ErrorKind::Service).status(503).build();
/// assert_eq!(error.status(), Some(503));
/// ```
#[derive(Debug)]
#[must_use]
pub struct ErrorBuilder {
    error: Error,
    may_have_been_applied: Option<bool>,
}

impl ErrorBuilder {
    /// Creates a builder with the status code that is typical for the kind, if it has one.
    pub fn new(kind: ErrorKind) -> Self {
        let (status, reason) = match kind {
            ErrorKind::Invalid => (None, "a value is invalid"),
            ErrorKind::KeyMissing => (None, "this call requires an API key"),
            ErrorKind::Connection => (None, "could not connect, so nothing was sent"),
            ErrorKind::Timeout => (None, "no complete response within 30 seconds"),
            ErrorKind::ResponseLost => (
                None,
                "the connection was lost before the response was complete",
            ),
            ErrorKind::Redirected => (Some(307), ""),
            ErrorKind::Unauthorized => (Some(401), ""),
            ErrorKind::Forbidden => (Some(403), ""),
            ErrorKind::NotFound => (Some(404), ""),
            ErrorKind::RateLimited => (Some(429), ""),
            ErrorKind::Rejected => (Some(422), ""),
            ErrorKind::Service => (Some(500), ""),
            ErrorKind::TooLarge => (Some(200), "the response is larger than the maximum"),
            ErrorKind::Unreadable => (Some(200), "the response could not be decoded"),
            ErrorKind::Canceled => (None, CANCELED),
        };
        let mut error = Error::new(kind, reason);
        error.inner.response = status.map(RawResponse::with_status);
        Self {
            error,
            may_have_been_applied: None,
        }
    }

    /// Sets the endpoint that was called. Default: none.
    pub fn operation(mut self, operation: Operation) -> Self {
        self.error = self.error.with_operation(&operation);
        self
    }

    /// Sets the handle or ID that the call was about. Default: none.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.error = self
            .error
            .with(|error| error.resource = Some(resource.into()));
        self
    }

    /// Sets the status code of the response. Does not change the kind.
    pub fn status(mut self, status: u16) -> Self {
        self.response().status = status;
        self
    }

    /// Adds a header to the response, for example `x-request-id`.
    ///
    /// # Panics
    ///
    /// Panics if the name or the value is not valid in HTTP.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.response().add_header(name, value);
        self
    }

    /// Sets the body of the response, which contains its message, code and field errors.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.response().body = Body::new(body.into());
        self
    }

    /// Sets how long to wait before the next attempt. Default: none.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.error = self.error.with(|error| error.retry_after = Some(wait));
        self
    }

    /// Sets the number of requests sent and the duration of the call. Default: zero.
    pub fn attempts(mut self, attempts: u32, elapsed: Duration) -> Self {
        self.error.inner.summary.attempts = attempts;
        self.error.inner.summary.tries = attempts;
        self.error.inner.summary.elapsed = elapsed;
        self
    }

    /// Sets the result of [`Error::may_have_been_applied`]. Default: as the kind, the status code and the
    /// operation imply; without an operation, as for a write. A read is never applied.
    pub fn may_have_been_applied(mut self, applied: bool) -> Self {
        self.may_have_been_applied = Some(applied);
        self
    }

    /// Creates the error.
    #[must_use]
    pub fn build(self) -> Error {
        let mut error = self.error;
        let inner = &mut error.inner;
        let response = inner.response.as_ref();
        let status = response.map(|response| response.status);
        if let Some(response) = response.filter(|response| response.status >= 300) {
            inner.body = read_error_body(&response.body.bytes);
        }
        (inner.effect, inner.again) = inner.kind.consequence(status);
        if let Some(applied) = self.may_have_been_applied {
            inner.effect = match applied {
                true => Effect::Unclear,
                false => Effect::Rejected,
            };
        }
        error
    }

    fn response(&mut self) -> &mut RawResponse {
        let response = &mut self.error.inner.response;
        response.get_or_insert_with(|| RawResponse::with_status(200))
    }
}
