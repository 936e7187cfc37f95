//! Verification of whole bodies, or in chunks, and its result.

mod stream_verifier;
mod verified;
mod verifier;
mod verify_error;

pub use stream_verifier::StreamVerifier;
pub use verified::Verified;
pub use verifier::Verifier;
pub use verify_error::VerifyError;
