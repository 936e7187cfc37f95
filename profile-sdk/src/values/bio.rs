//! The bio of a profile.

use serde::{Deserialize, Serialize};

use crate::values::text_value::{from_text, text_value};
use crate::values::{FieldKind, InvalidValue};

/// A bio: up to 300 characters and up to 10 lines. It can be empty.
///
/// A character is a Unicode scalar value. `\r\n`, `\n` and a lone `\r` end a line. The text after the
/// last line break is a line too, even if it is empty. (Specification: Resources, Profile; Limits.)
///
/// ```
/// use profile_sdk::Bio;
///
/// let bio = Bio::new("I write programs.\nFor engines that do not exist yet.")?;
/// assert_eq!(bio.line_count(), 2);
/// assert_eq!(
///     Bio::new("\n".repeat(11)).unwrap_err().to_string(),
///     "bio has 12 lines; at most 10 are allowed",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Bio(String);

impl Bio {
    /// The maximum number of characters.
    pub const MAX_CHARACTERS: usize = 300;

    /// The maximum number of lines.
    pub const MAX_LINES: usize = 10;

    pub(crate) const KIND: FieldKind = FieldKind::MultilineText {
        max_characters: Self::MAX_CHARACTERS,
        max_lines: Self::MAX_LINES,
    };

    /// Creates a bio. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has more than [`MAX_CHARACTERS`](Self::MAX_CHARACTERS)
    /// characters or more than [`MAX_LINES`](Self::MAX_LINES) lines.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check(&text)?;
        Ok(Self(text))
    }

    /// Returns the number of lines. An empty bio has one.
    #[must_use]
    pub fn line_count(&self) -> usize {
        count_lines(&self.0)
    }
}

text_value!(Bio);
from_text!(Bio);

fn check(text: &str) -> Result<(), InvalidValue> {
    let characters = text.chars().count();
    let lines = count_lines(text);
    let reason = match (characters > Bio::MAX_CHARACTERS, lines > Bio::MAX_LINES) {
        (false, false) => return Ok(()),
        (true, false) => format!(
            "has {characters} characters; at most {} are allowed",
            Bio::MAX_CHARACTERS
        ),
        (false, true) => format!("has {lines} lines; at most {} are allowed", Bio::MAX_LINES),
        (true, true) => format!(
            "has {characters} characters and {lines} lines; at most {} characters and {} lines \
             are allowed",
            Bio::MAX_CHARACTERS,
            Bio::MAX_LINES
        ),
    };
    Err(InvalidValue::new("bio", reason))
}

fn count_lines(text: &str) -> usize {
    let breaks = text.matches(['\r', '\n']).count() - text.matches("\r\n").count();
    breaks + 1
}

#[cfg(test)]
mod tests {
    use super::Bio;

    #[test]
    fn reports_both_limits_at_once() {
        let text = format!("{}{}", "\n".repeat(10), "x".repeat(300));
        assert_eq!(
            Bio::new(text).unwrap_err().to_string(),
            "bio has 310 characters and 11 lines; at most 300 characters and 10 lines are allowed"
        );
    }
}
