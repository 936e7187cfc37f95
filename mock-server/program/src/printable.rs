//! Texts of others on the terminal.

/// Replaces control characters other than line breaks, and marks that change the direction of a text,
/// with escapes such as `\u009b`, which are also valid in JSON.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        let is_bidirectional = matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() && c != '\n' || is_bidirectional {
            printable.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            printable.push(c);
        }
    }
    printable
}
