//! Errors of comparing the event kinds of header and payload.

use core::error::Error;
use core::fmt;

use crate::{EventKind, EventKindError};

/// The reason why the payload does not confirm the event kind in the header; see
/// [`Verified::confirm_kind`](crate::Verified::confirm_kind).
///
/// The body is authentic nevertheless. Respond with 2xx, and ignore the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KindError {
    /// The header is missing or invalid.
    Header(EventKindError),
    /// The payload's event kind is invalid.
    Payload(EventKindError),
    /// The payload is not a JSON object that has the field with a string value.
    InvalidField,
    /// The kinds in the payload and in the header differ.
    Mismatch {
        /// The kind in the signed payload.
        payload: EventKind,
    },
}

impl fmt::Display for KindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(reason) => reason.fmt(f),
            Self::Payload(reason) => write!(f, "the payload has an invalid event kind: {reason}"),
            Self::InvalidField => f.write_str(
                "the payload has no event kind; \
                 expected a JSON object that has the field with a string value",
            ),
            Self::Mismatch { payload } => write!(
                f,
                "X-Service-Event does not match the event kind in the signed payload, {payload}; \
                 trust the payload: an old delivery may have been resent as another kind"
            ),
        }
    }
}

impl Error for KindError {}
