#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

extern crate alloc;
#[cfg(feature = "seen")]
extern crate std;

// In reading order:
//
// verifier, stream_verifier                    verification of whole bodies, or in chunks
// headers, signature, digest_encoding, hex     parsing of the headers
// secret                                       the key
// verified, verify_error                       the result
// event_kind, event_name, payload, kind_error  the event in an authentic delivery
// failure_counter, receiver                    a counter, and adapters for tower and axum
// body_digest, seen                            recognition of repeated deliveries
// signed_request                               for senders and tests
// explain                                      diagnosis for people; no other module uses it

mod body_digest;
mod digest_encoding;
mod event_kind;
mod event_name;
#[cfg(feature = "explain")]
mod explain;
mod failure_counter;
mod headers;
mod hex;
mod kind_error;
#[cfg(feature = "json")]
mod payload;
#[cfg(feature = "receiver")]
mod receiver;
mod secret;
#[cfg(feature = "seen")]
mod seen;
mod signature;
#[cfg(feature = "http")]
mod signed_request;
mod stream_verifier;
mod verified;
mod verifier;
mod verify_error;

pub use body_digest::BodyDigest;
pub use digest_encoding::DigestEncoding;
pub use event_kind::{EventKind, EventKindError};
pub use event_name::EventName;
#[cfg(feature = "explain")]
pub use explain::{Diagnosis, Explanation, Fix, explain};
pub use failure_counter::{FailureCounter, FailureRun, MAX_CONSECUTIVE_FAILURES};
pub use headers::{EVENT_HEADER, Headers, SIGNATURE_HEADER};
pub use kind_error::KindError;
#[cfg(feature = "json")]
pub use payload::PayloadError;
#[cfg(feature = "axum")]
pub use receiver::VerifiedEvent;
#[cfg(feature = "receiver")]
pub use receiver::{Receiver, Rejection};
#[cfg(feature = "tower")]
pub use receiver::{VerifyLayer, VerifyService};
pub use secret::{Secret, SecretError};
#[cfg(feature = "seen")]
pub use seen::{RecentDeliveries, SeenDeliveries};
pub use signature::{sign, sign_as};
#[cfg(feature = "http")]
pub use signed_request::SignedRequest;
pub use stream_verifier::StreamVerifier;
pub use verified::Verified;
pub use verifier::Verifier;
pub use verify_error::VerifyError;
