//! The texts of a profile that are limited in length only.

use serde::{Deserialize, Serialize};

use crate::values::text_value::{from_text, text_value};
use crate::values::{FieldKind, InvalidValue};

/// Declares a text of up to a number of characters.
macro_rules! short_text {
    ($(#[$docs:meta])* $name:ident, $field:literal, $max:literal) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The maximum number of characters.
            pub const MAX_CHARACTERS: usize = $max;

            pub(crate) const KIND: FieldKind = FieldKind::Text {
                max_characters: Self::MAX_CHARACTERS,
            };

            /// Creates a value. The text is not changed.
            ///
            /// # Errors
            ///
            /// Returns an error if the text has more than
            /// [`MAX_CHARACTERS`](Self::MAX_CHARACTERS) characters.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
                let text = text.into();
                let (found, max) = (text.chars().count(), Self::MAX_CHARACTERS);
                if found <= max {
                    return Ok(Self(text));
                }
                let reason = format!("has {found} characters; at most {max} are allowed");
                Err(InvalidValue::new($field, reason))
            }
        }

        text_value!($name);
        from_text!($name);
    };
}

short_text! {
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
    DisplayName, "display_name", 32
}

short_text! {
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
    Location, "location", 40
}
