//! The kinds of values that profile fields have.

use std::fmt;

/// The kind of a profile field's values. `Display` prints the limits.
///
/// Treat an unknown kind as [`Text`](Self::Text).
///
/// ```
/// use profile_sdk::ProfileField;
///
/// assert_eq!(ProfileField::Location.kind().to_string(), "up to 40 characters");
/// assert_eq!(ProfileField::Location.kind().max_characters(), Some(40));
/// assert_eq!(ProfileField::TextColor.kind().to_string(), "#rrggbb");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// A short text.
    Text {
        /// The maximum number of characters.
        max_characters: usize,
    },
    /// A text that usually has several lines.
    MultilineText {
        /// The maximum number of characters.
        max_characters: usize,
        /// The maximum number of lines.
        max_lines: usize,
    },
    /// A color of the form `#rrggbb`.
    Color,
}

impl FieldKind {
    /// Returns the maximum number of characters, or `None` for a color.
    #[must_use]
    pub fn max_characters(self) -> Option<usize> {
        match self {
            Self::Text { max_characters } | Self::MultilineText { max_characters, .. } => {
                Some(max_characters)
            }
            Self::Color => None,
        }
    }

    /// Returns the maximum number of lines of a text that has such a limit.
    #[must_use]
    pub fn max_lines(self) -> Option<usize> {
        match self {
            Self::MultilineText { max_lines, .. } => Some(max_lines),
            Self::Text { .. } | Self::Color => None,
        }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { max_characters } => write!(f, "up to {max_characters} characters"),
            Self::MultilineText {
                max_characters,
                max_lines,
            } => write!(
                f,
                "up to {max_characters} characters and up to {max_lines} lines"
            ),
            Self::Color => f.write_str("#rrggbb"),
        }
    }
}
