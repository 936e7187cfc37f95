//! The outcome of a recorded request.

use serde::Serialize;

/// The outcome of a received request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RequestOutcome {
    /// A fault delays the request or its response.
    Delayed,
    /// The whole response was passed to the connection.
    Responded,
    /// The client disconnected during a delay. Before the write, nothing was written; after it, the
    /// response was lost.
    Abandoned,
    /// A fault of the connection replaced or truncated the response.
    ConnectionFault,
    /// The response was handed over to wiremock.
    HandedOver,
}
