//! Makes texts that come from the service safe to print.

use crate::escape_sequences::without_escape_sequences;

/// The text without what could steer a terminal, escape sequences and control characters; line breaks
/// and tabs stay.
///
/// The characters that reorder text go too, since they can make one text look like another.
pub(crate) fn printable(text: &str) -> String {
    without_escape_sequences(text)
        .replace("\r\n", "\n")
        .chars()
        .filter(|&c| matches!(c, '\n' | '\t') || !(c.is_control() || reorders(c)))
        .collect()
}

/// The text as one field of tab-separated values: backslash, tab and line breaks are escaped.
pub(crate) fn tsv_field(text: &str) -> String {
    let mut field = String::with_capacity(text.len());
    for c in without_escape_sequences(text).chars() {
        match c {
            '\\' => field.push_str("\\\\"),
            '\t' => field.push_str("\\t"),
            '\n' => field.push_str("\\n"),
            '\r' => field.push_str("\\r"),
            c if c.is_control() || reorders(c) => {}
            c => field.push(c),
        }
    }
    field
}

/// The text in quotes, with everything escaped that would make it look like another.
pub(crate) fn quoted(text: impl ToString) -> String {
    format!("{:?}", text.to_string())
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{printable, tsv_field};

    #[test]
    fn nothing_can_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\u{9b}0mc\r\nd\te"), "abc\nd\te");
        assert_eq!(printable("a\u{202e}b"), "ab");
    }

    #[test]
    fn a_field_stays_on_its_line() {
        assert_eq!(tsv_field("a\tb\r\nc\\n\u{1b}[1m\u{7}"), "a\\tb\\r\\nc\\\\n");
    }
}
