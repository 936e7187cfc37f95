//! Faults below HTTP, which are written directly to the socket.

use serde::{Deserialize, Serialize};

/// A fault of the connection, which is closed afterwards.
///
/// A fault that truncates the body turns the status 204, which has no body, into 200.
///
/// ```
/// use mock_server::WireFault;
///
/// let cut: WireFault = serde_json::from_str(r#"{"cut": {"after": 10}}"#)?;
/// assert_eq!(cut, WireFault::Cut { after: 10 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum WireFault {
    /// Resets the connection (RST) without sending a byte: `"reset"`.
    Reset,
    /// Closes the connection (FIN) without sending a byte: `"close"`.
    Close,
    /// Closes the connection in the middle of the body: `{"cut": {"after": 10}}`. `Content-Length` is
    /// always larger than the number of bytes sent.
    Cut {
        /// Number of bytes of the body to send.
        after: u64,
    },
    /// Stops sending in the middle of the body and keeps the connection open:
    /// `{"stall": {"after": 0}}`. `Content-Length` is always larger than the number of bytes sent.
    Stall {
        /// Number of bytes of the body to send; 0 sends only the head.
        after: u64,
    },
    /// Sends the body slowly, in small pieces: `{"dribble": {"bytes": 1, "milliseconds": 100}}`. The
    /// response is complete in the end.
    Dribble {
        /// Size of a piece in bytes; at least 1.
        bytes: u64,
        /// Pause before each piece, in milliseconds.
        milliseconds: u64,
    },
    /// Sends a chunked body whose second chunk has an invalid size: `"bad_chunk"`.
    BadChunk,
}

impl WireFault {
    /// Returns `true` if the head of the response is sent.
    pub(crate) fn sends_head(self) -> bool {
        !matches!(self, Self::Reset | Self::Close)
    }

    /// Returns `true` if the body is incomplete.
    pub(crate) fn breaks_body(self) -> bool {
        matches!(self, Self::Cut { .. } | Self::Stall { .. } | Self::BadChunk)
    }

    /// Returns the name that the fault has in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Close => "close",
            Self::Cut { .. } => "cut",
            Self::Stall { .. } => "stall",
            Self::Dribble { .. } => "dribble",
            Self::BadChunk => "bad_chunk",
        }
    }
}
