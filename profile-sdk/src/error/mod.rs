//! The one error type of every call.

pub(crate) mod body;
mod display;
mod kind;

pub use kind::ErrorKind;

use std::error::Error as StdError;
use std::time::Duration;

use crate::transport::raw_response::RawResponse;
use crate::{ApiKey, InvalidValue, Operation, Scope};
use body::read_error_body;

/// Why a call failed.
///
/// Its `Display` is one line that says what was called, what came back and what to do; the causes
/// below it are reached through [`source`](StdError::source). No form of it shows the key.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use profile_sdk::{ApiKey, Client, ErrorKind};
///
/// # let service = mock_server::MockServer::start().await;
/// let client = Client::builder()
///     .base_url(service.uri())
///     .api_key(ApiKey::new("not-a-key")?)
///     .build()?;
/// let error = client.me().await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unauthorized);
/// assert_eq!(error.status(), Some(401));
/// assert!(!error.may_have_been_applied());
/// # Ok(())
/// # }
/// ```
pub struct Error {
    inner: Box<Inner>,
}

/// All of it is in a box, so that a `Result` stays small.
struct Inner {
    kind: ErrorKind,
    operation: Option<Operation>,
    reason: String,
    response: Option<RawResponse>,
    code: Option<String>,
    message: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// No source, since the reason says the same.
    invalid_value: Option<InvalidValue>,
    summary: AttemptSummary,
    retry_after: Option<Duration>,
}

/// What it took to get a response or an error.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AttemptSummary {
    /// How many requests were sent.
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    /// Whether an attempt before the last may have taken effect although it failed.
    pub(crate) uncertain: bool,
}

impl Error {
    /// How much of an error's body is read and kept, in bytes.
    pub const MAX_BODY_BYTES: usize = 64 * 1024;

    /// What kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The endpoint that was called; none when the client itself could not be made.
    #[must_use]
    pub fn operation(&self) -> Option<&Operation> {
        self.inner.operation.as_ref()
    }

    /// The status of the response, where one came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.inner.response.as_ref().map(|response| response.status)
    }

    /// The code that the service gave, for example `unknown_field`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.inner.code.as_deref()
    }

    /// The message that the service gave, on one line.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.inner.message.as_deref()
    }

    /// The identifier that the service gave the request, to quote to its operators.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.inner.response.as_ref()?.request_id()
    }

    /// A header of the response, where it is there and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.inner.response.as_ref()?.header(name)
    }

    /// The start of the response's body, at most [`MAX_BODY_BYTES`](Self::MAX_BODY_BYTES) of it;
    /// empty where no response came.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.inner
            .response
            .as_ref()
            .map_or(&[], |response| &response.body)
    }

    /// The scope that the call needs, where the specification names one.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.operation()?.scope()
    }

    /// How many requests were sent; 0 when the call failed before the first.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.inner.summary.attempts
    }

    /// How long the call took, waits included.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.inner.summary.elapsed
    }

    /// How long to wait before the call is made again: the `Retry-After` of the service, or on 429 the
    /// time until its window ends; for a call that was not sent for the sake of a rate limit or of
    /// [`request_interval`](crate::ClientBuilder::request_interval), the time until its turn. A number
    /// that no clock can show is [`Duration::MAX`]; what cannot be understood is none.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// The value that cannot be sent, where this is the failure.
    ///
    /// ```
    /// use profile_sdk::{Bio, Error};
    ///
    /// let error = Error::from(Bio::new("x".repeat(301)).unwrap_err());
    /// assert_eq!(error.invalid_value().map(|invalid| invalid.field()), Some("bio"));
    /// ```
    #[must_use]
    pub fn invalid_value(&self) -> Option<&InvalidValue> {
        self.inner.invalid_value.as_ref()
    }

    /// Whether a write may have taken effect although it failed: the response to one of its attempts
    /// was unclear, the service failed while it worked, or its response was larger than the client takes.
    ///
    /// A write that is answered with 2xx has succeeded, whatever the body is: it is no error if that
    /// cannot be read. Only of a [raw call](crate::Client::raw_call), which says itself what its response
    /// is, a body of another shape is an error, of which this holds too.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let unclear = matches!(
            self.kind(),
            ErrorKind::Timeout
                | ErrorKind::Interrupted
                | ErrorKind::TooLarge
                | ErrorKind::Service
                | ErrorKind::Unreadable
        );
        let write = self
            .operation()
            .is_some_and(|operation| operation.method().is_write());
        write && (unclear || self.is_uncertain())
    }

    /// Whether making the same call again later may help and does no harm: the failure may pass, and
    /// nothing is done twice that may only be done once. Wait [`retry_after`](Self::retry_after)
    /// where that is known; the client has made its own retries by then.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let client = profile_sdk::Client::builder().base_url("http://127.0.0.1:1").build()?;
    /// # let call = client.badges().retry(profile_sdk::RetryPolicy::none());
    /// let error = call.await.unwrap_err();
    /// assert!(error.is_retryable(), "nobody listens there now");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let harmless = self.operation().is_none_or(Operation::is_idempotent);
        match self.kind() {
            ErrorKind::Connection | ErrorKind::RateLimited => true,
            ErrorKind::Timeout | ErrorKind::Interrupted | ErrorKind::Service => harmless,
            ErrorKind::Rejected => harmless && self.status() == Some(408),
            _ => false,
        }
    }

    /// A failure of which no response tells.
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let inner = Inner {
            kind,
            operation: None,
            reason: reason.into(),
            response: None,
            code: None,
            message: None,
            source: None,
            invalid_value: None,
            summary: AttemptSummary::default(),
            retry_after: None,
        };
        Self {
            inner: Box::new(inner),
        }
    }

    /// A response whose status is not 2xx.
    pub(crate) fn from_response(response: RawResponse) -> Self {
        let kind = match response.status {
            300..=399 => ErrorKind::Redirected,
            401 => ErrorKind::Unauthorized,
            403 => ErrorKind::Forbidden,
            404 => ErrorKind::NotFound,
            429 => ErrorKind::RateLimited,
            500.. => ErrorKind::Service,
            _ => ErrorKind::Rejected,
        };
        let error_body = read_error_body(&response.body);
        let mut error = Self::new(kind, "");
        error.inner.code = error_body.code;
        error.inner.message = error_body.message;
        error.inner.response = Some(response);
        error
    }

    /// A 2xx response that does not hold what it should.
    pub(crate) fn unreadable(reason: String, mut response: RawResponse) -> Self {
        response.body.truncate(Self::MAX_BODY_BYTES);
        let mut error = Self::new(ErrorKind::Unreadable, reason);
        error.inner.response = Some(response);
        error
    }

    /// A request that is not sent, since an earlier one met a 429 that asked for a longer wait than
    /// the call allows.
    pub(crate) fn rate_limited(wait: Duration) -> Self {
        let reason = "rate limit exceeded; the request was not sent";
        Self::new(ErrorKind::RateLimited, reason).with_retry_after(Some(wait))
    }

    /// A request that is not sent, since its place in the caller's own steady rate comes too late.
    pub(crate) fn interval_exceeds_deadline(wait: Duration) -> Self {
        let reason = "the request was not sent, because the request interval of the client \
                      delays it beyond the total timeout of the call";
        Self::new(ErrorKind::RateLimited, reason).with_retry_after(Some(wait))
    }

    /// Whether an attempt before the last may have taken effect although it failed.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.inner.summary.uncertain
    }

    /// What happened, where no response tells.
    pub(crate) fn reason(&self) -> &str {
        &self.inner.reason
    }

    /// The same error with its cause.
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Box::new(source));
        self
    }

    /// The same error, which says first what it is about.
    pub(crate) fn with_prefix(mut self, subject: &str) -> Self {
        self.inner.reason = format!("{subject}: {}", self.inner.reason);
        self
    }

    /// The same error, told of the call that met it.
    pub(crate) fn with_operation(mut self, operation: &Operation) -> Self {
        self.inner.operation = Some(operation.clone());
        self
    }

    /// The same error with the wait that the service asks for.
    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.inner.retry_after = retry_after;
        self
    }

    /// The same error, told of all that went before it.
    pub(crate) fn with_summary(mut self, summary: AttemptSummary) -> Self {
        self.inner.summary = summary;
        self
    }

    /// The same error without the key in what it says.
    pub(crate) fn redacted(mut self, key: &ApiKey) -> Self {
        let inner = &mut self.inner;
        let texts = [
            Some(&mut inner.reason),
            inner.code.as_mut(),
            inner.message.as_mut(),
        ];
        for text in texts.into_iter().flatten() {
            if let Some(redacted) = key.redact(text) {
                *text = redacted;
            }
        }
        self
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_deref().map(|source| source as _)
    }
}

impl From<InvalidValue> for Error {
    fn from(invalid: InvalidValue) -> Self {
        let mut error = Self::new(ErrorKind::Invalid, invalid.to_string());
        error.inner.invalid_value = Some(invalid);
        error
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, ErrorKind, Operation};

    #[test]
    fn what_would_be_done_twice_is_not_to_be_tried_again() {
        for (kind, of_an_edit, of_a_creation) in [
            (ErrorKind::Connection, true, true),
            (ErrorKind::RateLimited, true, true),
            (ErrorKind::Timeout, true, false),
            (ErrorKind::Interrupted, true, false),
            (ErrorKind::Service, true, false),
            (ErrorKind::Unreadable, false, false),
            (ErrorKind::Rejected, false, false),
            (ErrorKind::Forbidden, false, false),
        ] {
            let during = |operation| {
                Error::new(kind, "")
                    .with_operation(&operation)
                    .is_retryable()
            };
            assert_eq!(during(Operation::UPDATE_LINK), of_an_edit, "{kind:?}");
            assert_eq!(during(Operation::CREATE_LINK), of_a_creation, "{kind:?}");
        }
    }
}
