//! Texts of a service, in the form in which messages contain them.

use std::borrow::Cow;

const MAX_CHARACTERS: usize = 500;

/// Puts a text on one line, escapes characters that change the order of others or are invisible,
/// and shortens it.
pub(crate) fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    let mut line = String::new();
    for (index, word) in words.enumerate() {
        if index > 0 {
            line.push(' ');
        }
        for character in word.chars() {
            match character {
                '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}' => line.extend(character.escape_unicode()),
                _ => line.push(character),
            }
        }
        if line.len() > 4 * MAX_CHARACTERS {
            break;
        }
    }
    cut(&line, MAX_CHARACTERS).into_owned()
}

/// Shortens a text that is only a part of a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    cut(text, 100)
}

fn cut(text: &str, max_characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_characters) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{one_line, shorten};

    #[test]
    fn joins_lines_and_escapes_hidden_characters() {
        assert_eq!(one_line(" Bad\r\n\tgateway\u{2028}"), "Bad gateway");
        assert_eq!(one_line("a\u{202e}b \u{feff}"), r"a\u{202e}b \u{feff}");
        assert_eq!(one_line("नमस्ते 👩‍💻 e\u{301}"), "नमस्ते 👩‍💻 e\u{301}");
    }

    #[test]
    fn shortens_one_line_texts() {
        assert_eq!(one_line(&"é".repeat(600)).chars().count(), 501);
        assert_eq!(one_line(&"é ".repeat(5000)).chars().count(), 501);
        assert_eq!(shorten(&"x".repeat(101)), format!("{}…", "x".repeat(100)));
        assert_eq!(shorten("x"), "x");
    }
}
