//! What goes wrong below HTTP, where only a hand on the socket can do it.

use serde::{Deserialize, Serialize};

/// A fault on the wire. The connection is of no use after any of them.
///
/// Where a body is to break off, an answer of status 204, which has none, is sent as 200.
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
    /// The connection is reset (RST) without a byte: `"reset"`.
    Reset,
    /// The connection is closed (FIN) without a byte: `"close"`.
    Close,
    /// The connection is closed in the middle of the body: `{"cut": {"after": 10}}`. The head
    /// announces more than is sent, even where the whole body is.
    Cut {
        /// How many bytes of the body are sent.
        after: u64,
    },
    /// The head and a part of the body are sent, and then nothing while the client waits:
    /// `{"stall": {"after": 0}}`. The head announces more than is sent, even where the whole body
    /// is.
    Stall {
        /// How many bytes of the body are sent; 0 for the head alone.
        after: u64,
    },
    /// The head comes at once and the body in small pieces: `{"dribble": {"bytes": 1,
    /// "milliseconds": 100}}`. The answer is whole in the end.
    Dribble {
        /// How many bytes a piece has; at least 1.
        bytes: u64,
        /// How long to wait before each piece.
        milliseconds: u64,
    },
    /// A chunked body breaks the rules of chunks after the first: `"bad_chunk"`.
    BadChunk,
}

impl WireFault {
    /// Whether the client gets the head of an answer.
    pub(super) fn sends_head(self) -> bool {
        !matches!(self, Self::Reset | Self::Close)
    }

    /// Whether some of the body is missing in the end.
    pub(super) fn breaks_body(self) -> bool {
        matches!(self, Self::Cut { .. } | Self::Stall { .. } | Self::BadChunk)
    }

    /// The fault's name, as JSON has it.
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
