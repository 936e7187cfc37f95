//! Texts as TOML writes them, so that no editor changes what it does not show.

/// The text as TOML writes it; a long one between three quotes, each of its lines on a line.
///
/// White space before a line break is escaped, since many editors remove it, and so is all that
/// cannot be seen.
pub(super) fn quoted(text: &str, long: bool) -> String {
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
            c if c.is_control() || is_unseen(c) || (c.is_whitespace() && ends_line) => {
                quoted += &escape(c);
            }
            c => quoted.push(c),
        }
    }
    quoted + close
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("\\u{code:04X}"),
        code => format!("\\U{code:08X}"),
    }
}

/// Characters that reorder or hide text, and white space that looks like other white space.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || (c.is_whitespace() && c != ' ')
}
