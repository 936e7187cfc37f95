//! Texts of a known width: measured, filled up, wrapped.

use anstyle::Style;
use profile_sdk::Color;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::terminal::printable::printable;
use crate::terminal::screen::Screen;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// Joins two characters to one picture.
const JOINER: char = '\u{200d}';

/// A text of the service as one line that cannot steer the terminal.
pub(super) fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// The columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The columns that the widest of the texts takes.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(width).max().unwrap_or_default()
}

/// The text with spaces up to a width.
pub(crate) fn filled(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it up to a width.
pub(super) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The number with a comma before every three digits.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text that a person wrote, in lines of at most this many columns: broken between words where
/// that can be done, with the line breaks that it has.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    wrapped_with(text, columns, push_broken)
}

/// The same with every word in one piece, for what is copied: a longer one has a line to itself.
pub(crate) fn wrapped_between_words(text: &str, columns: usize) -> Vec<String> {
    wrapped_with(text, columns, |_, word, _| word.to_owned())
}

/// What becomes of a word that no line can hold: lines that are full, and the last part of it.
type PushLong = fn(&mut Vec<String>, &str, usize) -> String;

fn wrapped_with(text: &str, columns: usize, push_long: PushLong) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = printable(&text).replace('\t', "    ");
    text.split('\n')
        .flat_map(|line| wrapped_line(line, columns.max(2), push_long))
        .collect()
}

fn wrapped_line(text: &str, columns: usize, push_long: PushLong) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        let needed = width(word.trim_end());
        if !line.is_empty() && width(&line) + needed > columns {
            lines.push(std::mem::take(&mut line));
        }
        match needed > columns {
            true => line = push_long(&mut lines, word, columns),
            false => line.push_str(word),
        }
    }
    lines.push(line);
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Breaks a word that no line can hold, and gives its last part.
fn push_broken(lines: &mut Vec<String>, word: &str, columns: usize) -> String {
    let mut line = String::new();
    for c in word.chars() {
        let added = c.width().unwrap_or_default();
        if added > 0 && !line.ends_with(JOINER) && width(&line) + added > columns {
            lines.push(std::mem::take(&mut line));
        }
        line.push(c);
    }
    line
}

/// Two columns of a colour, where there are colours; else nothing.
pub(super) fn swatch(color: &str, screen: &Screen) -> String {
    match Color::new(color) {
        Ok(color) if screen.color => format!("{} ", screen.on_color(color.rgb(), "  ")),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{filled, thousands, width, wrapped};

    #[test]
    fn numbers_are_parted_by_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (86_234, "86,234"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(thousands(number), expected);
        }
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("日本"), 4);
        assert_eq!(filled("日本", 6), "日本  ");
        assert_eq!(width("👩‍🚀"), 2);
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("one\r\n\rtwo", 8), ["one", "", "two"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn a_word_that_no_line_holds_is_broken() {
        assert_eq!(wrapped("a abcdefgh b", 3), ["a", "abc", "def", "gh", "b"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
    }
}
