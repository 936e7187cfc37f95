//! Everything that came of one request.

use super::endpoints::Endpoint;
use super::reply::Reply;
use super::verdicts::Violation;

/// Everything that came of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The answer to the caller.
    pub(crate) reply: Reply,
    /// Whether the world has to be stored: a write was carried out, or the request counted against
    /// a rate limit that was set with [`World::set_rate_limit`](crate::World::set_rate_limit).
    /// Counting against the default limit is not worth a write to a disk.
    pub(crate) changed: bool,
    /// `None` when the path or the method belongs to no endpoint.
    pub(crate) endpoint: Option<Endpoint>,
    /// The code of the rejection, such as `unknown_field`, the same under every dialect.
    pub(crate) rejection: Option<&'static str>,
    /// At most [`Violation::MAX_PER_REQUEST`]. A request can be carried out and break a rule
    /// all the same, where a dialect is lenient.
    pub(crate) violations: Vec<Violation>,
}
