//! Faults below HTTP, which are written directly to the socket.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// A fault of the connection, which is closed afterwards.
///
/// A fault that truncates the body turns the status 204, which has no body, into 200.
///
/// ```
/// use mock_server::WireFault;
///
/// let cut: WireFault = serde_json::from_str(r#"{"cut": {"after": 10}}"#)?;
/// assert_eq!(cut, WireFault::Cut { after: 10 });
/// let reset: WireFault = serde_json::from_str(r#""reset""#)?;
/// assert_eq!(reset, WireFault::Reset { after: None });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, remote = "Self")]
#[non_exhaustive]
pub enum WireFault {
    /// Resets the connection (RST): `"reset"` without sending a byte, or `{"reset": {"after": 10}}` in
    /// the middle of the body.
    Reset {
        /// Number of bytes of the body to send after the head.
        #[serde(default)]
        after: Option<u64>,
    },
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
        !matches!(self, Self::Reset { after: None } | Self::Close)
    }

    /// Returns `true` if the body is incomplete.
    pub(crate) fn breaks_body(self) -> bool {
        match self {
            Self::Cut { .. } | Self::Stall { .. } | Self::BadChunk => true,
            Self::Reset { after } => after.is_some(),
            Self::Close | Self::Dribble { .. } => false,
        }
    }

    /// Returns `true` if the client does not receive the whole response.
    pub(crate) fn loses_response(self) -> bool {
        !self.sends_head() || self.breaks_body()
    }

    /// Returns the name that the fault has in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reset { .. } => "reset",
            Self::Close => "close",
            Self::Cut { .. } => "cut",
            Self::Stall { .. } => "stall",
            Self::Dribble { .. } => "dribble",
            Self::BadChunk => "bad_chunk",
        }
    }
}

impl Serialize for WireFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reset { after: None } => serializer.serialize_str("reset"),
            // The derived function, not this one.
            other => Self::serialize(other, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WireFault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fault = Value::deserialize(deserializer)?;
        if fault == "reset" {
            fault = json!({"reset": {}});
        }
        Self::deserialize(fault).map_err(D::Error::custom)
    }
}
