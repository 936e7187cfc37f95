//! Errors of payloads that do not have the expected type.

use alloc::boxed::Box;

use thiserror::Error;

/// An error for an authentic payload that is not valid JSON or does not match the receiver's type.
///
/// Respond with 2xx nevertheless, because ten failed deliveries in a row turn the webhook off.
///
/// The message does not quote the payload, but its source, the error of `serde_json`, may.
#[derive(Debug, Error)]
#[error(
    "the delivery is authentic, but its payload {problem}, at line {} column {}; respond with 2xx",
    source.line(),
    source.column(),
    problem = problem(source)
)]
pub struct PayloadError {
    source: Box<serde_json::Error>,
}

impl PayloadError {
    pub(crate) fn new(source: serde_json::Error) -> Self {
        Self {
            source: Box::new(source),
        }
    }
}

fn problem(error: &serde_json::Error) -> &'static str {
    match error.is_data() {
        true => "does not match the receiver's type",
        false => "is not valid JSON",
    }
}
