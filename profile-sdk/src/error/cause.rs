//! Errors with their root cause in the message.

use std::error::Error as StdError;

use crate::error::{Error, ErrorKind};

/// Creates an error about setting up a client, with its root cause in the message.
pub(crate) fn setup_error(what: &str, error: impl StdError + 'static) -> Error {
    let reason = format!("{what}: {}", root_cause(&error));
    Error::new(ErrorKind::Invalid, reason)
}

/// Returns the message of the last error in the chain of causes.
pub(crate) fn root_cause(error: &(dyn StdError + 'static)) -> String {
    let last = causes(error).last();
    last.map_or_else(String::new, ToString::to_string)
}

/// Returns an error and its chain of causes.
pub(crate) fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| {
        (*error).source()
    })
}
