//! The location in a profile.

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::values::display_name::check_characters;
use crate::values::text_value::{from_text, text_value};

/// A location: free text of up to 40 characters. It can be empty.
///
/// A character is a Unicode scalar value. (Specification: Resources, Profile; Limits.)
///
/// ```
/// use profile_sdk::Location;
///
/// assert_eq!(Location::new("London")?.to_string(), "London");
/// assert_eq!(
///     Location::new("x".repeat(41)).unwrap_err().to_string(),
///     "location has 41 characters; at most 40 are allowed",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Location(String);

impl Location {
    /// The maximum number of characters.
    pub const MAX_CHARACTERS: usize = 40;

    /// Creates a location. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has more than [`MAX_CHARACTERS`](Self::MAX_CHARACTERS)
    /// characters.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_characters("location", &text, Self::MAX_CHARACTERS)?;
        Ok(Self(text))
    }
}

text_value!(Location);
from_text!(Location);
