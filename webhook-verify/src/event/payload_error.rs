//! Errors of payloads that do not have the expected type.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

/// An error for an authentic payload that is not valid JSON or does not match the receiver's type.
///
/// Respond with 2xx nevertheless, because ten failed deliveries in a row turn the webhook off.
///
/// The message does not quote the payload, but [`Error::source`], the error of `serde_json`, may.
#[derive(Debug)]
pub struct PayloadError {
    reason: Box<serde_json::Error>,
}

impl PayloadError {
    pub(crate) fn new(reason: serde_json::Error) -> Self {
        Self {
            reason: Box::new(reason),
        }
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.reason.is_data() {
            true => "does not match the receiver's type",
            false => "is not valid JSON",
        };
        write!(
            f,
            "the delivery is authentic, but its payload {problem}, at line {} column {}; \
             respond with 2xx",
            self.reason.line(),
            self.reason.column()
        )
    }
}

impl Error for PayloadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.reason)
    }
}
