//! The error type of all calls.

mod display;
mod kind;
mod response;

pub use kind::ErrorKind;
pub(crate) use kind::{Again, Effect, causes, find_cause, invalid_because, root_cause};
pub(crate) use response::{ErrorBody, RawResponse, is_page, read_error_body};

use std::error::Error as StdError;
use std::time::Duration;

use crate::request::Operation;
use crate::values::{ApiKey, InvalidValue, Scope};

/// The error of a failed call or an invalid setting.
///
/// `Display` prints one line with the endpoint, what went wrong, its cause and what to do, so
/// [`source`](StdError::source) returns `None`. No output contains the key.
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
#[derive(Clone)]
pub struct Error {
    pub(crate) inner: Box<Inner>,
}

/// The words of messages that only repeat that a call is forbidden.
const GENERAL: &str = "403 access allowed authorized denied forbidden here insufficient no not privileges rights unauthorized";

/// The message of a call that its signal ended.
pub(crate) const CANCELED: &str = "the call was canceled";

/// Boxed, to keep `Result` small.
#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) kind: ErrorKind,
    operation: Option<Operation>,
    pub(crate) resource: Option<String>,
    pub(crate) reason: String,
    pub(crate) response: Option<RawResponse>,
    /// The error of decompressing the response.
    coding_error: String,
    /// The code, the message and the field errors of the response.
    pub(crate) body: ErrorBody,
    invalid_value: Option<InvalidValue>,
    pub(crate) summary: AttemptSummary,
    /// Of all attempts.
    pub(crate) effect: Effect,
    /// Of the last attempt.
    pub(crate) again: Again,
    pub(crate) retry_after: Option<Duration>,
}

/// The attempts of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AttemptSummary {
    /// The number of requests sent.
    pub(crate) attempts: u32,
    /// The number of attempts, including those that did not establish a connection.
    pub(crate) tries: u32,
    /// The number of retries, without those after a 429.
    pub(crate) retries: u32,
    /// `true` after an attempt without a response.
    pub(crate) has_lost: bool,
    pub(crate) elapsed: Duration,
}

impl Error {
    /// The maximum number of bytes that are kept of the body of an error response.
    pub const MAX_BODY_BYTES: usize = 64 * 1024;

    /// Returns the kind of this error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns the endpoint of the call, or `None` if the error is not about a call.
    #[must_use]
    pub fn operation(&self) -> Option<&Operation> {
        self.inner.operation.as_ref()
    }

    /// Returns the handle or the ID that the call was about: of a profile, link or post.
    #[must_use]
    pub fn resource(&self) -> Option<&str> {
        self.inner.resource.as_deref()
    }

    /// Returns the status code of the response, if there is one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.inner.response.as_ref().map(|response| response.status)
    }

    /// Returns the error code in the response, for example `unknown_field`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.inner.body.code.as_deref()
    }

    /// Returns the error message in the response, on one line.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.inner.body.message.as_deref()
    }

    /// Returns the names of the fields that the service rejected, each with its reason on one line, as far
    /// as the body has one of the usual shapes, for example `{"errors": {"bio": ["is too long"]}}`. The
    /// message contains the reasons too.
    pub fn field_errors(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.inner.body.fields.iter();
        fields.map(|(name, reason)| (&**name, &**reason))
    }

    /// Returns the request ID from `X-Request-Id` or `Request-Id`, for support requests.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.inner.response.as_ref()?.request_id()
    }

    /// Returns a header of the response, or `None` if it is missing or not ASCII text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.inner.response.as_ref()?.header(name)
    }

    /// Returns the start of the body, up to [`MAX_BODY_BYTES`](Self::MAX_BODY_BYTES). Empty if
    /// there is no response.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        let response = self.inner.response.as_ref();
        response.map_or(&[], |response| &response.body.bytes)
    }

    /// Returns the scope that the call requires, if the specification names one.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.operation()?.scope()
    }

    /// Returns the scope that the key lacks: the [`scope`](Self::scope) of a call that the service does
    /// not permit (403). Returns `None` if the response has another explanation: `Retry-After`, an
    /// exhausted rate limit, a page of a gateway in HTML, or a code or a message about something else. One
    /// about the scope names it, contains `scope` or `permission`, or is as general as `Access denied`.
    #[must_use]
    pub fn missing_scope(&self) -> Option<&Scope> {
        let remaining = ["x-ratelimit-remaining", "ratelimit-remaining"];
        let is_exhausted = remaining.iter().any(|name| self.header(name) == Some("0"));
        let scope = self.scope()?;
        let body = String::from_utf8_lossy(self.body());
        let challenge = self.header("www-authenticate");
        let texts = [challenge, self.message(), self.code(), Some(&body)];
        let texts = texts.map(Option::unwrap_or_default).concat().to_lowercase();
        let about_scope = ["scope", "permission", scope.as_str()];
        let is_about_scope = about_scope.iter().any(|word| texts.contains(word));
        let message = self.message().unwrap_or_default().to_lowercase();
        let mut words = message.split(|c: char| !c.is_alphanumeric());
        let is_known = |word: &str| GENERAL.split(' ').any(|known| known == word);
        let is_general =
            self.code().is_none() && words.all(|word| word.is_empty() || is_known(word));
        let is_explained = is_exhausted || is_page(self.body()) || self.retry_after().is_some();
        let is_lacking = !is_explained && (is_about_scope || is_general);
        Some(scope).filter(|_| is_lacking && self.kind() == ErrorKind::Forbidden)
    }

    /// Returns the number of requests sent. It is 0 if the call failed before the first, for example
    /// because no connection could be established.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.inner.summary.attempts
    }

    /// Returns the duration of the call, including waits.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.inner.summary.elapsed
    }

    /// Returns how long to wait before the next attempt: the `Retry-After` of the response, or for
    /// a 429 without it, the time until the rate limit window ends. For a call that was not sent
    /// because of a rate limit or [`request_interval`](crate::ClientBuilder::request_interval),
    /// returns the time until it could be sent, if it is known. At most a year.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// Returns the invalid value that caused this error, if there is one.
    #[must_use]
    pub fn invalid_value(&self) -> Option<&InvalidValue> {
        self.inner.invalid_value.as_ref()
    }

    /// Returns `true` if a write may have been applied although the call failed: the response of an
    /// attempt was lost, could not be decoded or was too large, the service failed while processing
    /// the request or timed out (408), or it redirects to the result (302, 303).
    ///
    /// A write with a 2xx response succeeds even if its body cannot be read or decoded. [Raw
    /// calls](crate::Client::raw_call) are the exception: they return an error, for which this
    /// method returns `true`.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let is_write = |operation: &Operation| operation.method().is_write();
        self.inner.effect == Effect::Unclear && self.operation().is_none_or(is_write)
    }

    /// Returns `true` if the same call may succeed later and can be repeated without being applied
    /// twice. Wait for [`retry_after`](Self::retry_after) first, if it is known. The client has
    /// already made its own retries. An error without an [`operation`](Self::operation) counts as that
    /// of a creation.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let is_idempotent = self.operation().is_some_and(Operation::is_idempotent);
        self.inner.again != Again::Never && (is_idempotent || !self.may_have_been_applied())
    }

    /// Creates an error without a response.
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let (effect, again) = kind.consequence(None);
        let inner = Inner {
            kind,
            operation: None,
            resource: None,
            reason: reason.into(),
            response: None,
            coding_error: String::new(),
            body: ErrorBody::default(),
            invalid_value: None,
            summary: AttemptSummary::default(),
            effect,
            again,
            retry_after: None,
        };
        Self {
            inner: Box::new(inner),
        }
    }

    /// Changes this error.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(&mut self.inner);
        self
    }

    /// Creates the error of an invalid value or setting.
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, reason)
    }

    /// Creates an error of an attempt in which no request was sent.
    pub(crate) fn unsent(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self::new(kind, reason).with(|error| error.effect = Effect::Unsent)
    }

    /// Creates the error of a [layer](crate::ClientBuilder::layer) that did not send the request, for example
    /// a circuit breaker. Feature `tower`.
    ///
    /// The call goes on as after a connection that could not be established
    /// ([`ErrorKind::Connection`]): nothing was applied, and it may be retried. If a request of the attempt
    /// has reached the network, the error counts as one that does not show whether it was sent.
    ///
    /// ```
    /// use profile_sdk::Error;
    ///
    /// let error = Error::not_sent("the circuit breaker is open, so nothing was sent");
    /// assert!(!error.may_have_been_applied());
    /// ```
    #[cfg(feature = "tower")]
    #[must_use]
    pub fn not_sent(reason: impl Into<String>) -> Self {
        Self::unsent(ErrorKind::Connection, reason)
    }

    /// Sets that another attempt would fail in the same way, if this is so.
    pub(crate) fn permanent(mut self, is_permanent: bool) -> Self {
        if is_permanent {
            self.inner.again = Again::Never;
        }
        self
    }

    /// Creates the error of a call that was ended during an attempt with this effect.
    pub(crate) fn canceled(effect: Effect) -> Self {
        Self::new(ErrorKind::Canceled, CANCELED).with(|error| error.effect = effect)
    }

    /// Returns when the request can be repeated without being applied twice.
    pub(crate) fn again(&self) -> Again {
        match self.is_retryable() {
            true => self.inner.again,
            false => Again::Never,
        }
    }

    /// Creates an error from a response that is not 2xx.
    pub(crate) fn from_response(response: RawResponse) -> Self {
        let kind = match response.status {
            304 => ErrorKind::Unreadable,
            300..=399 => ErrorKind::Redirected,
            401 => ErrorKind::Unauthorized,
            403 => ErrorKind::Forbidden,
            404 => ErrorKind::NotFound,
            408 => ErrorKind::Timeout,
            429 => ErrorKind::RateLimited,
            500.. => ErrorKind::Service,
            _ => ErrorKind::Rejected,
        };
        let reason = match response.status {
            304 => "304: the service did not send the resource, because it has not changed",
            _ => "",
        };
        Self::new(kind, reason).with(|error| {
            (error.effect, error.again) = kind.consequence(Some(response.status));
            error.body = read_error_body(&response.body.bytes);
            error.response = Some(response);
        })
    }

    /// Sets the 2xx response whose body is incomplete or could not be decoded.
    pub(crate) fn with_response(self, mut response: RawResponse) -> Self {
        response.body.bytes.truncate(Self::MAX_BODY_BYTES);
        self.with(|error| error.response = Some(response))
    }

    /// Adds to the message that a refusal could not be decompressed.
    pub(crate) fn with_coding(mut self, body_error: Option<Self>) -> Self {
        // A body that may be compressed, and is not cut within a character.
        let text = str::from_utf8(self.body());
        if body_error.is_some() && text.is_err_and(|error| error.error_len().is_some()) {
            self.inner.body.message = None;
        }
        let error = body_error.filter(|error| error.kind() == ErrorKind::Unreadable);
        self.inner.coding_error = error.map_or_else(String::new, |error| error.inner.reason);
        self
    }

    /// Creates an error for a response that is larger than the maximum.
    pub(crate) fn too_large(max_bytes: usize) -> Self {
        let reason = format!("the response is larger than the maximum of {max_bytes} bytes");
        Self::new(ErrorKind::TooLarge, reason)
    }

    /// Creates an error for a request that was not sent, because it would have to wait too long.
    pub(crate) fn delayed(reason: &str, wait: Option<Duration>) -> Self {
        Self::unsent(ErrorKind::RateLimited, reason).with(|error| error.retry_after = wait)
    }

    /// Creates an error for a request that was not sent, because no time is left.
    pub(crate) fn deadline_passed() -> Self {
        let reason = "the request was not sent, because the timeout or the deadline of the call has \
                      passed";
        Self::unsent(ErrorKind::Timeout, reason)
    }

    /// Names the proxy if it may have sent the response.
    pub(crate) fn through_proxy(mut self, proxy: Option<&str>) -> Self {
        self.inner.reason = match (proxy, self.status()) {
            (Some(proxy), Some(407)) => {
                format!("the proxy {proxy} requires a valid user name and password")
            }
            (Some(proxy), Some(502..=504)) => format!("the service or the proxy {proxy} failed"),
            _ => return self,
        };
        self
    }

    /// Sets the endpoint that was called.
    pub(crate) fn with_operation(self, operation: &Operation) -> Self {
        self.with(|error| error.operation = Some(operation.clone()))
    }

    /// Counts the attempt that failed with this error, and adds what became of the attempts before.
    pub(crate) fn after(mut self, earlier: Option<&Self>) -> Self {
        let inner = &mut self.inner;
        let mut summary = earlier.map(|last| last.inner.summary).unwrap_or_default();
        summary.tries += u32::from(inner.kind != ErrorKind::Canceled);
        summary.attempts += u32::from(inner.effect != Effect::Unsent);
        summary.has_lost |= inner.response.is_none() && inner.effect == Effect::Unclear;
        inner.summary = summary;
        let earlier = earlier.map(|last| last.inner.effect);
        inner.effect = inner.effect.max(earlier.unwrap_or(Effect::Unsent));
        self
    }

    /// Redacts the key in all texts.
    pub(crate) fn redacted(mut self, key: Option<&ApiKey>) -> Self {
        let Some(key) = key else { return self };
        let inner = &mut self.inner;
        let response = inner.response.as_ref();
        let is_truncated = response.is_some_and(|response| response.is_truncated);
        let own = [&mut inner.reason, &mut inner.coding_error].map(|text| (text, false));
        let texts = [&mut inner.body.code, &mut inner.body.message];
        let fields = inner.body.fields.iter_mut();
        let fields = fields.flat_map(|(name, reason)| [name, reason]);
        let received = texts.into_iter().flatten().chain(fields);
        let received = received.map(|text| (text, is_truncated));
        for (text, is_truncated) in own.into_iter().chain(received) {
            // A part of the key may precede the mark of a shortened text, or end a truncated body.
            let (start, mark) = match text.strip_suffix('…') {
                Some(start) => (start, "…"),
                None => (&**text, ""),
            };
            if let Some(redacted) = key.redact(start, is_truncated || !mark.is_empty()) {
                *text = redacted + mark;
            }
        }
        let response = inner.response.take();
        inner.response = response.map(|response| response.redacted(Some(key)));
        self
    }
}

impl StdError for Error {}

impl From<InvalidValue> for Error {
    fn from(invalid: InvalidValue) -> Self {
        Self::invalid(invalid.to_string()).with(|error| error.invalid_value = Some(invalid))
    }
}

#[cfg(test)]
mod tests {
    use crate::error::{Error, ErrorKind};
    use crate::request::Operation;

    #[test]
    fn unclear_creations_are_not_retryable() {
        for (kind, of_an_edit, of_a_creation) in [
            (ErrorKind::Connection, true, true),
            (ErrorKind::RateLimited, true, true),
            (ErrorKind::Timeout, true, false),
            (ErrorKind::ResponseLost, true, false),
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
