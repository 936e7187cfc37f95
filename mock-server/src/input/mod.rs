//! Input as JSON, and the error for invalid input.

pub(crate) mod bytes_in_json;
mod invalid_input;
pub(crate) mod read_json;

pub use invalid_input::InvalidInput;
