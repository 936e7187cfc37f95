//! The limits of the specification. They are implemented independently of the client so that one
//! misreading cannot affect both.

use crate::engine::rejections::Rejection;

/// A limit for a string.
pub(super) enum Limit {
    /// A maximum number of characters (Unicode scalar values).
    Characters(usize),
    /// A maximum number of characters and of lines.
    CharactersAndLines(usize, usize),
    /// `#rrggbb`.
    Color,
}

impl Limit {
    /// Returns the limits that a string exceeds.
    pub(super) fn problems(&self, field: &'static str, text: &str) -> Vec<Rejection> {
        match *self {
            Self::Characters(limit) => check_characters(field, text, limit).into_iter().collect(),
            Self::CharactersAndLines(characters, limit) => {
                let found = lines(text);
                let too_many_lines = (found > limit).then_some(Rejection::TooManyLines {
                    field,
                    found,
                    limit,
                });
                let too_many_characters = check_characters(field, text, characters);
                too_many_characters
                    .into_iter()
                    .chain(too_many_lines)
                    .collect()
            }
            Self::Color => check_color(field, text).err().into_iter().collect(),
        }
    }
}

fn check_characters(field: &'static str, text: &str, limit: usize) -> Option<Rejection> {
    let found = text.chars().count();
    (found > limit).then_some(Rejection::TooManyCharacters {
        field,
        found,
        limit,
    })
}

/// Rejects a string that is not `#rrggbb`. The digits are case-insensitive.
pub(crate) fn check_color(field: &'static str, text: &str) -> Result<(), Rejection> {
    let is_color = text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    match is_color {
        true => Ok(()),
        false => Err(Rejection::NotAColor { field }),
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
