//! Section Limits of the specification, read on its own here: a client that reads it wrongly finds
//! no accomplice.

use super::refusal::Refusal;

/// Refuses a text of more than `limit` characters, which are Unicode scalar values.
pub(super) fn check_characters(
    field: &'static str,
    text: &str,
    limit: usize,
) -> Result<(), Refusal> {
    let found = text.chars().count();
    if found > limit {
        return Err(Refusal::TooManyCharacters {
            field,
            found,
            limit,
        });
    }
    Ok(())
}

/// Refuses a text of more than `limit` lines.
pub(super) fn check_lines(field: &'static str, text: &str, limit: usize) -> Result<(), Refusal> {
    let found = lines(text);
    if found > limit {
        return Err(Refusal::TooManyLines {
            field,
            found,
            limit,
        });
    }
    Ok(())
}

/// Refuses what is not `#rrggbb`; the digits may be of either case.
pub(super) fn check_color(field: &'static str, text: &str) -> Result<(), Refusal> {
    let is_color = text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    if is_color {
        Ok(())
    } else {
        Err(Refusal::NotAColor { field })
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
