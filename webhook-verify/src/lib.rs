#![doc = include_str!("../README.md")]
#![no_std]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

extern crate alloc;

mod event_kind;
mod event_name;
mod headers;
mod secret;
mod signature;
mod verified;
mod verifier;
mod verify_error;

pub use event_kind::{EventKind, EventKindError};
pub use event_name::EventName;
pub use headers::{EVENT_HEADER, Headers, SIGNATURE_HEADER};
pub use secret::{Secret, SecretError};
pub use signature::sign;
pub use verified::Verified;
pub use verifier::Verifier;
pub use verify_error::VerifyError;
