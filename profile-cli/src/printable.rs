//! Makes texts that come from the service safe to print.

use std::borrow::Cow;

use crate::escape_sequences::without_escape_sequences;

/// What Unicode has for the end of a line and of a paragraph.
const LINE_BREAKS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The text without what could steer a terminal, escape sequences and control characters; line breaks
/// and tabs stay.
///
/// The characters that reorder text go too, and those that nobody sees, since they can make one text
/// look like another.
pub(crate) fn printable(text: &str) -> String {
    without_escape_sequences(text)
        .replace("\r\n", "\n")
        .replace(LINE_BREAKS, "\n")
        .chars()
        .filter(|&c| matches!(c, '\n' | '\t') || !is_left_out(c))
        .collect()
}

/// The text as one field of tab-separated values: backslash, tab and line breaks are escaped.
pub(crate) fn tsv_field(text: &str) -> String {
    let mut field = String::with_capacity(text.len());
    for c in without_escape_sequences(text).chars() {
        match c {
            '\\' => field.push_str("\\\\"),
            '\t' => field.push_str("\\t"),
            '\r' => field.push_str("\\r"),
            c if c == '\n' || LINE_BREAKS.contains(&c) => field.push_str("\\n"),
            c if is_left_out(c) => {}
            c => field.push(c),
        }
    }
    field
}

/// The same JSON with an escape in place of what could steer a terminal or reorder its text. JSON
/// has these characters in its texts alone, and itself escapes only those below U+0020.
pub(crate) fn json_text(json: &str) -> Cow<'_, str> {
    let is_escaped =
        |c: char| matches!(c, '\u{7f}'..='\u{9f}') || reorders(c) || LINE_BREAKS.contains(&c);
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match is_escaped(c) {
            true => text += &format!("\\u{:04x}", u32::from(c)),
            false => text.push(c),
        }
    }
    Cow::Owned(text)
}

/// The text in quotes, with everything escaped that would make it look like another.
pub(crate) fn quoted(text: impl ToString) -> String {
    format!("{:?}", text.to_string())
}

fn is_left_out(c: char) -> bool {
    c.is_control() || reorders(c) || is_unseen(c)
}

/// Characters without any width; what joins emoji is none of them.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{json_text, printable, tsv_field};

    #[test]
    fn nothing_can_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\u{9b}0mc\r\nd\te"), "abc\nd\te");
        assert_eq!(printable("a\u{202e}b"), "ab");
    }

    #[test]
    fn what_nobody_sees_is_left_out() {
        assert_eq!(printable("a\u{200b}\u{feff}\u{e0041}b\u{2028}c"), "ab\nc");
        assert_eq!(tsv_field("a\u{200b}\u{feff}\u{e0041}b\u{2029}c"), "ab\\nc");
        assert_eq!(printable("👩\u{200d}🚀"), "👩\u{200d}🚀");
    }

    #[test]
    fn json_holds_the_same_with_escapes() {
        let text = "é 日\u{7f}\u{9b}31m\u{202e}\u{2066}\u{2028}";
        let json = serde_json::to_string(text).unwrap();
        let escaped = json_text(&json);
        assert_eq!(escaped, r#""é 日\u007f\u009b31m\u202e\u2066\u2028""#);
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn a_field_stays_on_its_line() {
        assert_eq!(tsv_field("a\tb\r\nc\\n\u{1b}[1m\u{7}"), "a\\tb\\r\\nc\\\\n");
    }
}
