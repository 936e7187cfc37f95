//! The limits of the fields of a profile. They are implemented independently of the client so that one
//! misreading cannot affect both.

use std::fmt;

/// The limit of a field of a profile. `Display` prints it as in the specification.
///
/// ```
/// use mock_server::FieldLimit;
///
/// let limit = FieldLimit::Text { max_characters: 300, max_lines: Some(10) };
/// assert_eq!(limit.to_string(), "up to 300 characters and up to 10 lines");
/// assert!(FieldLimit::Color.accepts("#ff8800"));
/// assert!(!FieldLimit::Color.accepts("red"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldLimit {
    /// A text.
    Text {
        /// The maximum number of Unicode scalar values.
        max_characters: usize,
        /// The maximum number of lines, if it is limited.
        max_lines: Option<usize>,
    },
    /// A color of the form `#rrggbb`.
    Color,
}

impl FieldLimit {
    pub(super) const fn characters(max_characters: usize) -> Self {
        Self::Text {
            max_characters,
            max_lines: None,
        }
    }

    pub(super) const fn characters_and_lines(max_characters: usize, max_lines: usize) -> Self {
        Self::Text {
            max_characters,
            max_lines: Some(max_lines),
        }
    }

    /// Returns `true` if a value is within the limit.
    pub fn accepts(&self, value: &str) -> bool {
        self.problems(value).is_empty()
    }

    /// Returns the limits that a value exceeds.
    pub(crate) fn problems(&self, text: &str) -> Vec<Excess> {
        match *self {
            Self::Text {
                max_characters,
                max_lines,
            } => {
                let too_many_characters = check_characters(text, max_characters);
                let too_many_lines = max_lines.and_then(|limit| check_lines(text, limit));
                let problems = too_many_characters.into_iter().chain(too_many_lines);
                problems.collect()
            }
            Self::Color => check_color(text).err().into_iter().collect(),
        }
    }
}

impl fmt::Display for FieldLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text {
                max_characters,
                max_lines,
            } => {
                write!(f, "up to {max_characters} characters")?;
                match max_lines {
                    Some(lines) => write!(f, " and up to {lines} lines"),
                    None => Ok(()),
                }
            }
            Self::Color => f.write_str("format #rrggbb"),
        }
    }
}

/// The limit that a value exceeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Excess {
    #[error("has {found} characters; at most {limit} are allowed")]
    TooManyCharacters { found: usize, limit: usize },
    #[error("has {found} lines; at most {limit} are allowed")]
    TooManyLines { found: usize, limit: usize },
    #[error("is not a color of the form #rrggbb, such as #ff8800")]
    NotAColor,
}

fn check_characters(text: &str, limit: usize) -> Option<Excess> {
    let found = text.chars().count();
    (found > limit).then_some(Excess::TooManyCharacters { found, limit })
}

fn check_lines(text: &str, limit: usize) -> Option<Excess> {
    let found = lines(text);
    (found > limit).then_some(Excess::TooManyLines { found, limit })
}

/// Rejects a string that is not `#rrggbb`. The digits are case-insensitive.
pub(crate) fn check_color(text: &str) -> Result<(), Excess> {
    let is_color = text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    match is_color {
        true => Ok(()),
        false => Err(Excess::NotAColor),
    }
}

/// Counts lines: `\r\n`, `\n` and a single `\r` each end a line, and the rest after the last of them
/// is a line too, even if it is empty.
fn lines(text: &str) -> usize {
    let breaks = text.replace("\r\n", "\n").matches(['\n', '\r']).count();
    breaks + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_line_breaks() {
        for (text, expected) in [
            ("", 1),
            ("a", 1),
            ("\n", 2),
            ("a\nb\n", 3),
            ("\r\n", 2),
            ("\n\r", 3),
            ("\r\r\n\n", 4),
            ("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f", 1),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
