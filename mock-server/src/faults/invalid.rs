//! The error for a fault rule that no server can follow.

use crate::invalid_input::InvalidInput;

pub(super) fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_fault", message)
}
