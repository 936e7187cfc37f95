//! Tests of the public API, one module per subject.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod against_mock;
mod allocations;
mod axum_extractors;
mod bodies;
mod chunked_body;
mod consecutive_failures;
mod encodings;
mod event_kinds;
mod explanations;
#[cfg(target_os = "linux")]
mod freed_memory;
mod headers;
mod http_requests;
mod payloads;
mod properties;
mod published_vectors;
#[allow(
    dead_code,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "`main` is not called, and the program is for copying"
)]
mod quick_start;
mod rejected_bodies;
mod rotation;
mod secrets;
mod seen_deliveries;
mod signatures;
mod streaming;
mod tampering;
mod tower_layer;
mod vectors;

use webhook_verify::{
    EVENT_HEADER, Headers, SIGNATURE_HEADER, Secret, Verified, Verifier, VerifyError,
};

/// The example in GitHub's documentation. Its signatures have the same format.
const SECRET: &str = "It's a Secret to Everybody";
const BODY: &[u8] = b"Hello, World!";
const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const BASE64_SIGNATURE: &str = "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=";

#[track_caller]
fn secret(bytes: impl Into<Vec<u8>>) -> Secret {
    Secret::new(bytes).unwrap()
}

/// Returns headers with these signatures and event kinds.
fn headers<'h>(
    signatures: impl IntoIterator<Item = &'h [u8]>,
    events: impl IntoIterator<Item = &'h [u8]>,
) -> Headers<'h> {
    let signatures = signatures
        .into_iter()
        .map(|value| (SIGNATURE_HEADER, value));
    let events = events.into_iter().map(|value| (EVENT_HEADER, value));
    Headers::new(signatures.chain(events))
}

fn verify(signature: impl AsRef<[u8]>, body: &[u8]) -> Result<Verified<&[u8]>, VerifyError> {
    let headers = headers([signature.as_ref()], None);
    Verifier::new(secret(SECRET)).verify(headers, body)
}
