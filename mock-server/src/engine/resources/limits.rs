//! Section Limits of the specification, read independently of the client, so that one misreading
//! cannot hide on both sides.

use crate::engine::rejections::Rejection;

/// What the specification allows a text to be.
pub(super) enum Limit {
    /// Up to this many characters, which are Unicode scalar values.
    Characters(usize),
    /// The same, and up to this many lines.
    CharactersAndLines(usize, usize),
    /// `#rrggbb`.
    Color,
}

impl Limit {
    /// Returns everything that is wrong with a text.
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

/// Rejects a text that is not `#rrggbb`; the digits may be of either case.
pub(crate) fn check_color(field: &'static str, text: &str) -> Result<(), Rejection> {
    let is_color = text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    match is_color {
        true => Ok(()),
        false => Err(Rejection::NotAColor { field }),
    }
}

/// `\r\n`, `\n` and a lone `\r` each end a line. What follows the last of them is a line too, even
/// when it is empty.
fn lines(text: &str) -> usize {
    let breaks = text.replace("\r\n", "\n").matches(['\n', '\r']).count();
    breaks + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_their_breaks() {
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
