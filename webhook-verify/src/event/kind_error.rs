//! Errors of comparing the event kinds of header and payload.

use thiserror::Error;

use crate::{EventKind, EventKindError};

/// The reason why the payload does not confirm the event kind in the header; see
/// [`Verified::confirm_kind`](crate::Verified::confirm_kind).
///
/// The body is authentic nevertheless. Respond with 2xx, and ignore the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KindError {
    /// The header is missing or invalid.
    #[error("{0}")]
    Header(EventKindError),
    /// The payload's event kind is invalid.
    #[error("the payload has an invalid event kind: {0}")]
    Payload(EventKindError),
    /// The payload is not a JSON object that has the field with a string value.
    #[error(
        "the payload has no event kind; \
         expected a JSON object that has the field with a string value"
    )]
    InvalidField,
    /// The kinds in the payload and in the header differ.
    #[error(
        "X-Service-Event does not match the event kind in the signed payload, {payload}; \
         trust the payload: an old delivery may have been resent as another kind"
    )]
    Mismatch {
        /// The kind in the signed payload.
        payload: EventKind,
    },
}
