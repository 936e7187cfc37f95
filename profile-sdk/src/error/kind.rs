//! The kinds of failures.

/// What kind of failure an [`Error`](crate::Error) is.
///
/// A response is judged by its status class and by the few codes that every HTTP service shares,
/// since the specification shows no status codes. (Specification: Errors.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value or a setting is not one that can be sent; nothing was sent.
    Invalid,
    /// The call needs a key and the client has none; nothing was sent.
    KeyMissing,
    /// No connection could be made, so nothing was sent.
    Connection,
    /// No complete response came in time.
    Timeout,
    /// The connection broke before a complete response had come.
    Interrupted,
    /// The service points elsewhere (3xx); the key goes to the configured host alone.
    Redirected,
    /// The service does not take the key (401).
    Unauthorized,
    /// The key may not do this (403), usually for want of a scope.
    Forbidden,
    /// There is no such profile, link or post (404).
    NotFound,
    /// The key's rate limit is used up (429), or the request was not sent since its wait for the rate
    /// limit would have been too long.
    RateLimited,
    /// The service refuses the content of the request (any other 4xx).
    Rejected,
    /// The service failed (5xx).
    Service,
    /// The response is larger than the client takes.
    TooLarge,
    /// The response is not of the shape that the specification gives it.
    Unreadable,
}
