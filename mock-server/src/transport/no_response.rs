//! The reasons why hyper does not send a response.

use std::time::Duration;

use crate::faults::{PlannedReply, WireFault};

/// Maximum time that a client may take to send the head of a request, or its body.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why hyper does not send a response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoResponse {
    /// A wire fault applies. The reply is written to the connection after hyper has released it.
    #[error("the connection ends with a wire fault")]
    Fault(Box<PlannedReply>, WireFault),
    /// The connection failed while the request was read.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The client stopped sending in the middle of the request, or the server shuts down before the
    /// whole request has arrived.
    #[error("the rest of the body did not arrive in time")]
    Incomplete,
}
