//! The event in an authentic delivery: its kind, and its payload.

mod event_kind;
mod event_name;
mod kind_error;
#[cfg(feature = "json")]
mod payload_error;

pub use event_kind::{EventKind, EventKindError};
pub use event_name::EventName;
pub use kind_error::KindError;
#[cfg(feature = "json")]
pub use payload_error::PayloadError;
