//! Why the header's kind is not confirmed by the payload.

use core::error::Error;
use core::fmt;

use crate::{EventKind, EventKindError};

/// Why [`Verified::confirm_kind`](crate::Verified::confirm_kind) does not
/// confirm the kind that the header claims.
///
/// The body is authentic all the same: answer 2xx, and do not act on the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KindError {
    /// The header names no kind.
    Header(EventKindError),
    /// What the payload has for a kind is no name of one.
    Payload(EventKindError),
    /// The payload is no JSON object in which the field stands once and is a string.
    InvalidField,
    /// The payload names another kind than the header.
    Mismatch {
        /// What the signed payload says.
        payload: EventKind,
    },
}

impl fmt::Display for KindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(reason) => reason.fmt(f),
            Self::Payload(reason) => write!(f, "the payload names no kind: {reason}"),
            Self::InvalidField => f.write_str(
                "the payload does not name its kind where it was looked for; \
                 expected a JSON object that has the field once, as a string",
            ),
            Self::Mismatch { payload } => write!(
                f,
                "X-Service-Event says another kind than the signed payload, which says {payload}; \
                 trust the payload, and expect that an old delivery was sent again under another kind"
            ),
        }
    }
}

impl Error for KindError {}
