//! TOML strings without characters that editors change or hide.

use crate::terminal::printable::is_invisible;

/// Returns the text as a TOML string; a long one is a multi-line string.
///
/// White space before a line break, which many editors remove, and invisible characters are
/// escaped.
pub(crate) fn quoted(text: &str, long: bool) -> String {
    let long = long && !text.is_empty();
    let (open, close) = if long {
        ("\"\"\"\n", "\"\"\"")
    } else {
        ("\"", "\"")
    };
    let mut quoted = open.to_owned();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = matches!(rest.peek(), None | Some('\n' | '\r'));
        match c {
            '\n' if long => quoted.push('\n'),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\\' => quoted.push_str("\\\\"),
            '"' if !long || ends_line || rest.peek() == Some(&'"') => quoted.push_str("\\\""),
            '\t' if ends_line => quoted.push_str("\\t"),
            '\t' => quoted.push('\t'),
            c if c.is_control() || needs_escape(c) || (c.is_whitespace() && ends_line) => {
                quoted += &escape(c);
            }
            c => quoted.push(c),
        }
    }
    quoted + close
}

/// Escapes the other invisible characters of a document, for a terminal. They occur only in strings.
pub(crate) fn for_terminal(document: &str) -> String {
    let visible = |c| match is_invisible(c) {
        true => escape(c),
        false => c.to_string(),
    };
    document.chars().map(visible).collect()
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("\\u{code:04X}"),
        code => format!("\\U{code:08X}"),
    }
}

/// Returns `true` for characters that reorder or hide text, and for whitespace that looks like a
/// space.
fn needs_escape(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || (c.is_whitespace() && c != ' ')
}
