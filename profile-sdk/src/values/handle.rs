//! The handle of a profile.

use serde::{Deserialize, Serialize};

use crate::values::InvalidValue;
use crate::values::path_segment::check_segment;
use crate::values::text_value::{from_text, text_value};

/// The handle of a profile: any text except the empty text, `.` and `..`, which cannot be part of a
/// URL path.
///
/// The specification defines no other rules. The handle is percent-encoded as one path segment, so
/// it cannot reach another endpoint. (Specification: Endpoints, `GET /users/{handle}/stats`.)
///
/// ```
/// use profile_sdk::Handle;
///
/// assert_eq!(Handle::new("demo")?.as_str(), "demo");
/// assert!(Handle::new("../me").is_ok());
/// assert!(Handle::new("..").is_err());
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Handle(String);

impl Handle {
    /// Creates a handle. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is empty, `.` or `..`.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_segment("handle", &text)?;
        Ok(Self(text))
    }
}

text_value!(Handle);
from_text!(Handle);
