//! The name by which a profile is addressed.

use crate::InvalidValue;
use crate::request::path::check_segment;
use crate::values::text_value::{deserialize_from_text, serialize_as_text, text_value};

/// A profile's handle: any text but the empty one, `.` and `..`, which a URL's path cannot carry.
///
/// The specification shows neither alphabet nor length, so none is checked; whatever the text, it
/// travels as one percent-encoded segment and cannot reach another endpoint. (Specification:
/// Endpoints, `GET /users/{handle}/stats`.)
///
/// ```
/// use profile_sdk::Handle;
///
/// assert_eq!(Handle::new("demo")?.as_str(), "demo");
/// assert!(Handle::new("../me").is_ok());
/// assert!(Handle::new("..").is_err());
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    text: String,
}

impl Handle {
    /// Takes the text as it is.
    ///
    /// # Errors
    ///
    /// When it is empty, `.` or `..`.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_segment("handle", &text)?;
        Ok(Self { text })
    }
}

text_value!(Handle);
serialize_as_text!(Handle);
deserialize_from_text!(Handle);
