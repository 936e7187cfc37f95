//! The outcome of a request.

use super::endpoints::Endpoint;
use super::problems::ProblemKind;
use super::reply::Reply;
use super::violation::Violation;

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The response.
    pub(crate) reply: Reply,
    /// `true` if the world has to be stored: a write succeeded, or the request counts against a rate
    /// limit that was set with [`World::set_rate_limit`](crate::World::set_rate_limit). Counts
    /// against the default limit are not stored.
    pub(crate) changed: bool,
    /// The endpoint, if one has this path and method.
    pub(crate) endpoint: Option<Endpoint>,
    /// The problem for which the request was rejected.
    pub(crate) rejection: Option<ProblemKind>,
    /// At most [`Violation::MAX_PER_REQUEST`]. Under a lenient dialect, a successful request can
    /// have violations.
    pub(crate) violations: Vec<Violation>,
}
