//! The error for an invalid fault rule.

use crate::invalid_input::InvalidInput;

pub(super) fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_fault", message)
}
