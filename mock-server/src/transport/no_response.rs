//! The reasons why hyper does not send a response.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::faults::WireFault;

/// Maximum time that a client may take to send the head of a request, or more of a body.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A response that HTTP cannot express: it is written to the connection after hyper has released it.
#[derive(Debug, thiserror::Error)]
#[error("the connection ends with {kind:?}")]
pub(super) struct ConnectionFault {
    pub(super) kind: WireFault,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The reason why hyper does not send a response.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoResponse {
    /// A wire fault applies.
    #[error(transparent)]
    Fault(Box<ConnectionFault>),
    /// The connection failed while the request was read.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The client stopped sending in the middle of the request.
    #[error("the rest of the body did not arrive within {} s", READ_TIMEOUT.as_secs())]
    Timeout,
    /// The server shuts down before the whole request has arrived.
    #[error("the server shut down before the rest of the body arrived")]
    Shutdown,
    /// wiremock cannot be reached.
    #[error(transparent)]
    Upstream(std::io::Error),
}
