//! The error for an invalid fault rule.

use crate::input::InvalidInput;

pub(super) fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_fault", message)
}
