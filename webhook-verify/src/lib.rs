#![doc = include_str!("../README.md")]
//!
//! "Specification: …" in this documentation names sections of `docs/service.md` in the repository.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

extern crate alloc;
#[cfg(any(feature = "receiver", feature = "seen"))]
extern crate std;

// In reading order:
//
// verifier           verification of whole bodies, or in chunks, its result, and the digest that identifies a
//                    delivery
// signature          the two headers of a delivery, signing, and the errors of verification
// secret             the key
// event              the event in an authentic delivery
// failure_counter    a counter of failures
// receiver           adapters for tower and axum, and what they share
// seen               recognition of repeated deliveries
// signed_request     signed requests, for senders and tests
// explain            diagnosis for people; no other module uses it
mod event;
#[cfg(feature = "explain")]
mod explain;
mod failure_counter;
#[cfg(feature = "receiver")]
mod receiver;
mod secret;
#[cfg(feature = "seen")]
mod seen;
mod signature;
#[cfg(feature = "http")]
mod signed_request;
mod verifier;

#[cfg(feature = "json")]
pub use event::PayloadError;
pub use event::{EventKind, EventKindError, EventName, KindError};
#[cfg(feature = "explain")]
pub use explain::{Diagnosis, Explanation, Fix, explain};
pub use failure_counter::{ConsecutiveFailures, FailureCounter, MAX_CONSECUTIVE_FAILURES};
#[cfg(feature = "axum08")]
pub use receiver::axum::VerifiedEvent;
#[cfg(feature = "tower")]
pub use receiver::tower::{VerifyLayer, VerifyService};
#[cfg(feature = "receiver")]
pub use receiver::{Receiver, Rejection};
pub use secret::{Secret, SecretError};
#[cfg(feature = "seen")]
pub use seen::RecentDeliveries;
pub use signature::{
    DigestEncoding, EVENT_HEADER, Headers, SIGNATURE_HEADER, VerifyError, sign, sign_as,
};
#[cfg(feature = "http")]
pub use signed_request::SignedRequest;
pub use verifier::{BodyDigest, StreamVerifier, Verified, Verifier};
