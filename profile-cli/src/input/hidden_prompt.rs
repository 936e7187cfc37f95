//! Prompts for a secret without echo.

use std::io;

use crate::outcome::failure::{Failure, FailureKind};
use crate::system::interruption::InterruptGuard;

/// Prompts for a line of text without echo.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    // Ctrl-C must not end the program before `rpassword` has restored the echo.
    let _guard = InterruptGuard::new();
    rpassword::prompt_password(question).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => {
            Failure::new(FailureKind::Interrupted, "interrupted; nothing was stored")
        }
        _ => {
            let message = format!("the prompt failed: {error}");
            Failure::new(FailureKind::Other, message)
        }
    })
}
