//! The kinds of errors.

use std::error::Error as StdError;
use std::io;

use crate::error::Error;
use crate::values::display_text;

/// The kind of an [`Error`](crate::Error).
///
/// The specification does not define status codes, so only the codes that are common to all HTTP
/// services have their own kind. (Specification: Errors.)
///
/// `Display` prints the name that [`as_str`](Self::as_str) returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value or a setting is invalid. Nothing was sent.
    Invalid,
    /// The call requires a key, and the client has none. Nothing was sent.
    KeyMissing,
    /// No connection could be established, the service closed the connection without processing the
    /// request, or a layer did not send it. Nothing was applied.
    Connection,
    /// No complete response arrived within the timeout, the service or a gateway timed out (408), or the
    /// deadline of the call had passed before anything was sent. If no connection was established by then, a request with a body has the kind
    /// [`Connection`](Self::Connection) instead.
    Timeout,
    /// The connection was lost before the response was complete.
    ResponseLost,
    /// The service redirects (3xx except 304). Redirects are not followed, because the key is only sent to the
    /// configured host.
    Redirected,
    /// The service rejected the key (401).
    Unauthorized,
    /// The service does not permit the call (403), usually because the key lacks a scope; see
    /// [`Error::missing_scope`].
    Forbidden,
    /// The profile, link or post does not exist (404).
    NotFound,
    /// The rate limit of the key is exceeded (429), or the request was not sent because it would
    /// have to wait too long for the rate limit or the request interval.
    RateLimited,
    /// The service rejected the request (any other 4xx).
    Rejected,
    /// The service failed (5xx).
    Service,
    /// The response exceeds the maximum size of the client, or has too many headers.
    TooLarge,
    /// The response could not be decoded, is not valid HTTP, or has no content although it should (304).
    Unreadable,
    /// The signal of [`Client::until`](crate::Client::until) ended the call.
    Canceled,
}

impl ErrorKind {
    /// Returns a short name that does not change, for example for a metric label.
    ///
    /// ```
    /// assert_eq!(profile_sdk::ErrorKind::RateLimited.as_str(), "rate_limited");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::KeyMissing => "key_missing",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::ResponseLost => "response_lost",
            Self::Redirected => "redirected",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::RateLimited => "rate_limited",
            Self::Rejected => "rejected",
            Self::Service => "service",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Canceled => "canceled",
        }
    }

    /// Returns the effect of a request that failed like this after it was sent, and when it can be
    /// repeated.
    pub(crate) fn consequence(self, status: Option<u16>) -> (Effect, Again) {
        match status {
            Some(429) => return (Effect::Rejected, Again::AfterPause),
            Some(502..=504) => return (Effect::Unclear, Again::Now),
            // The usual responses to a form that was processed.
            Some(302 | 303) => return (Effect::Unclear, Again::Never),
            _ => {}
        }
        match self {
            Self::Invalid | Self::KeyMissing | Self::Canceled => (Effect::Unsent, Again::Never),
            Self::Connection | Self::RateLimited => (Effect::Rejected, Again::Now),
            Self::Timeout | Self::ResponseLost => (Effect::Unclear, Again::Now),
            Self::Redirected | Self::Unauthorized | Self::Forbidden => {
                (Effect::Rejected, Again::Never)
            }
            Self::NotFound | Self::Rejected => (Effect::Rejected, Again::Never),
            Self::Service => (Effect::Unclear, Again::Later),
            Self::TooLarge | Self::Unreadable => (Effect::Unclear, Again::Never),
        }
    }
}

display_text!(ErrorKind);

/// The effect of a request that failed, in the order of what several requests have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// It was not sent.
    Unsent,
    /// It was sent, and not applied.
    Rejected,
    /// It may have been applied, unless it is a read.
    Unclear,
}

/// The time at which a failed request can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// The client retries it.
    Now,
    /// The client sends it again after the pause that follows a 429, which does not count as a retry.
    AfterPause,
    /// The client would have retried it, but its retry budget was used up.
    NowWithoutBudget,
    /// The caller can retry it.
    Later,
    /// It would fail in the same way.
    Never,
}

/// An error among the causes of another one.
type Cause<'a> = &'a (dyn StdError + 'static);

/// Creates the error of an invalid value or setting, with its root cause in the message.
pub(crate) fn invalid_because(what: &str, error: impl StdError + 'static) -> Error {
    Error::invalid(format!("{what}: {}", root_cause(&error)))
}

/// Returns the message of the last error in the chain of causes.
pub(crate) fn root_cause(error: Cause<'_>) -> String {
    let last = causes(error).last();
    last.map_or_else(String::new, ToString::to_string)
}

/// Returns an error and its chain of causes. The source of an I/O error skips the error that it wraps.
pub(crate) fn causes<'a>(error: Cause<'a>) -> impl Iterator<Item = Cause<'a>> {
    std::iter::successors(Some(error), |error: &Cause<'a>| {
        match (*error).downcast_ref::<io::Error>() {
            Some(error) => error.get_ref().map(|wrapped| wrapped as _),
            None => (*error).source(),
        }
    })
}

/// Returns the first error of this type in the chain of causes.
pub(crate) fn find_cause<'a, E: StdError + 'static>(error: Cause<'a>) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}
