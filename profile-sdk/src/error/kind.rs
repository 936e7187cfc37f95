//! The kinds of errors.

/// The kind of an [`Error`](crate::Error).
///
/// The specification does not define status codes, so only the codes that are common to all HTTP
/// services have their own kind. (Specification: Errors.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value or a setting is invalid. Nothing was sent.
    Invalid,
    /// The call requires a key, and the client has none. Nothing was sent.
    KeyMissing,
    /// No connection could be established. Nothing was sent.
    Connection,
    /// No complete response arrived within the timeout.
    Timeout,
    /// The connection was lost before the response was complete.
    Interrupted,
    /// The service redirects (3xx). Redirects are not followed, because the key is only sent to the
    /// configured host.
    Redirected,
    /// The service rejected the key (401).
    Unauthorized,
    /// The key has no permission for the call (403), usually because it lacks a scope.
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
    /// The response exceeds the maximum size of the client.
    TooLarge,
    /// The response could not be decoded.
    Unreadable,
}
