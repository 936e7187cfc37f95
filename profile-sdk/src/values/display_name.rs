//! The display name of a profile.

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::values::text_value::{from_text, text_value};

/// A display name: up to 32 characters. It can be empty.
///
/// A character is a Unicode scalar value. (Specification: Resources, Profile; Limits.)
///
/// ```
/// use profile_sdk::DisplayName;
///
/// let name = DisplayName::new("Ada Lovelace")?;
/// assert_eq!(name.as_str(), "Ada Lovelace");
/// assert!(DisplayName::new("x".repeat(DisplayName::MAX_CHARACTERS + 1)).is_err());
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct DisplayName(String);

impl DisplayName {
    /// The maximum number of characters.
    pub const MAX_CHARACTERS: usize = 32;

    /// Creates a display name. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has more than [`MAX_CHARACTERS`](Self::MAX_CHARACTERS)
    /// characters.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_characters("display_name", &text, Self::MAX_CHARACTERS)?;
        Ok(Self(text))
    }
}

text_value!(DisplayName);
from_text!(DisplayName);

/// Checks the number of Unicode scalar values.
pub(crate) fn check_characters(
    field: &'static str,
    text: &str,
    max: usize,
) -> Result<(), InvalidValue> {
    let found = text.chars().count();
    if found <= max {
        return Ok(());
    }
    let reason = format!("has {found} characters; at most {max} are allowed");
    Err(InvalidValue::new(field, reason))
}

#[cfg(test)]
mod tests {
    use super::DisplayName;

    #[test]
    fn a_character_is_a_unicode_scalar_value() {
        assert!(DisplayName::new("").is_ok());
        assert!(DisplayName::new("🦀".repeat(32)).is_ok());
        // A combining accent counts as a character.
        assert!(DisplayName::new("e\u{301}".repeat(16)).is_ok());
        assert_eq!(
            DisplayName::new("e\u{301}".repeat(17))
                .unwrap_err()
                .to_string(),
            "display_name has 34 characters; at most 32 are allowed"
        );
    }
}
