//! The colors of a profile.

use serde::{Deserialize, Serialize};

use crate::values::invalid_value::quoted;
use crate::values::text_value::{from_text, text_value};
use crate::values::{FieldKind, InvalidValue};

/// A color of the form `#rrggbb`, with hexadecimal digits in either case.
///
/// It is sent as written: `#FF8800` stays upper case. Equality compares the text; compare
/// [`rgb`](Self::rgb) to ignore the case. (Specification: Resources, Profile; Limits.)
///
/// ```
/// use profile_sdk::Color;
///
/// let orange: Color = "#ff8800".parse()?;
/// assert_eq!(orange.rgb(), [255, 136, 0]);
/// assert_eq!(Color::from_rgb([255, 136, 0]), orange);
/// assert_eq!(
///     Color::new("orange").unwrap_err().to_string(),
///     "color \"orange\" is not of the form #rrggbb, for example #ff8800",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Color(String);

impl Color {
    pub(crate) const KIND: FieldKind = FieldKind::Color;

    /// Creates a color from a text of the form `#rrggbb`. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form. Color names and the short form `#rgb` are not
    /// accepted.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        let digits = text.strip_prefix('#').unwrap_or_default().as_bytes();
        if digits.len() == 6 && digits.iter().all(u8::is_ascii_hexdigit) {
            return Ok(Self(text));
        }
        let found = quoted(&text);
        let reason = format!("{found} is not of the form #rrggbb, for example #ff8800");
        Err(InvalidValue::new("color", reason))
    }

    /// Creates a color from its red, green and blue parts, with lower-case digits.
    #[must_use]
    pub fn from_rgb([red, green, blue]: [u8; 3]) -> Self {
        Self(format!("#{red:02x}{green:02x}{blue:02x}"))
    }

    /// Returns the red, green and blue parts, each from 0 to 255.
    #[must_use]
    pub fn rgb(&self) -> [u8; 3] {
        [1, 3, 5].map(|start| {
            u8::from_str_radix(&self.0[start..start + 2], 16)
                .expect("a color holds six hexadecimal digits after the #")
        })
    }
}

text_value!(Color);
from_text!(Color);
