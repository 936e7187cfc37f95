//! Errors with their root cause in the message.

use std::error::Error as StdError;

use crate::error::{Error, ErrorKind};

/// Creates an error about setting up a client, with its root cause in the message.
pub(crate) fn setup_error(what: &str, error: impl StdError + 'static) -> Error {
    let reason = format!("{what}: {}", root_cause(&error));
    Error::new(ErrorKind::Invalid, reason)
}

/// Returns the message of the last error in the chain of causes.
pub(crate) fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
