//! Measures, pads and wraps text by its width on the terminal.

use anstyle::Style;
use profile_sdk::{Color, internal::longest_start};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::{Screen, printable};

pub(crate) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// Maximum width of a line; longer lines are hard to read.
pub(super) const MAX_WIDTH: usize = 100;

/// Zero-width joiner, which in some scripts also combines grapheme clusters.
const JOINER: char = '\u{200d}';

/// Returns text from the service as one line that is safe to print.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Returns the start of a text for a message.
pub(crate) fn shortened(text: &str) -> &str {
    longest_start(text, |start| start.chars().count() <= 40)
}

/// Returns the width of the text in columns.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the width of the widest text in columns.
pub(crate) fn max_width(texts: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
    let widths = texts.into_iter().map(|text| width(text.as_ref()));
    widths.max().unwrap_or_default()
}

/// Pads the text with spaces on the right.
pub(crate) fn pad_right(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Pads the text with spaces on the left.
pub(super) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Formats the number with commas as thousands separators.
pub(super) fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Returns the share, rounded to tenths of a percent; shares below that are shown as `<0.1 %`.
pub(super) fn percent(part: u64, sum: u128) -> String {
    if sum == 0 {
        return "0.0 %".to_owned();
    }
    let tenths = (u128::from(part) * 1000 + sum / 2) / sum;
    match (part, tenths) {
        (1.., 0) => "<0.1 %".to_owned(),
        (_, tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// Width of a line below which words are not broken.
const MIN_BROKEN: usize = 28;

/// Wraps text into lines of at most `columns` columns, between words if possible. Existing line
/// breaks are kept.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    wrap_with(text, columns, columns >= MIN_BROKEN)
}

/// Wraps text like [`wrap`], but never breaks a word, so that URLs can be copied.
pub(crate) fn wrap_at_spaces(text: &str, columns: usize) -> Vec<String> {
    wrap_with(text, columns, false)
}

fn wrap_with(text: &str, columns: usize, breaks_words: bool) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = printable(&text).replace('\t', "    ");
    let lines = text.split('\n');
    let lines = lines.flat_map(|line| wrap_line(line, columns.max(2), breaks_words));
    lines.collect()
}

fn wrap_line(text: &str, columns: usize, breaks_words: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        let needed = width(word.trim_end());
        if !line.is_empty() && width(&line) + needed > columns {
            lines.push(std::mem::take(&mut line));
        }
        match needed > columns && breaks_words {
            true => line = push_broken(&mut lines, word, columns),
            false => line.push_str(word),
        }
    }
    lines.push(line);
    let lines = lines.iter().map(|line| line.trim_end().to_owned());
    lines.collect()
}

/// Breaks a word that is too long for a line, and returns the rest.
fn push_broken(lines: &mut Vec<String>, word: &str, columns: usize) -> String {
    let (mut line, mut unit) = (String::new(), String::new());
    for cluster in word.graphemes(true) {
        unit += cluster;
        if unit.ends_with(JOINER) {
            continue;
        }
        if !unit.trim().is_empty() && width(&line) + width(&unit) > columns {
            lines.push(std::mem::take(&mut line));
        }
        line += &std::mem::take(&mut unit);
    }
    line + &unit
}

/// Returns a swatch of the color, or an empty string if the screen has no colors.
pub(super) fn swatch(color: &str, screen: &Screen) -> String {
    match Color::new(color) {
        Ok(color) if screen.palette.is_some() => format!("{} ", screen.on_color(color.rgb(), "  ")),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{pad_right, percent, width, with_separators, wrap};

    #[test]
    fn separates_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (86_234, "86,234"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(with_separators(number), expected);
        }
    }

    #[test]
    fn rounds_shares_to_tenths() {
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(2, 3), "66.7 %");
        assert_eq!(percent(1, 1), "100.0 %");
        assert_eq!(percent(1, 1_000_000), "<0.1 %");
        assert_eq!(percent(0, 9), "0.0 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("日本"), 4);
        assert_eq!(pad_right("日本", 6), "日本  ");
        assert_eq!(width("👩‍🚀"), 2);
    }

    #[test]
    fn wraps_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one\r\n\rtwo", 8), ["one", "", "two"]);
        assert_eq!(wrap("", 8), [""]);
    }

    #[test]
    fn breaks_words_longer_than_a_line() {
        let (long, wide) = ("x".repeat(89), "日".repeat(20));
        let lines = ["a", &long[..30], &long[..30], &long[..29], "b"];
        assert_eq!(wrap(&format!("a {long} b"), 30), lines);
        assert_eq!(wrap(&wide, 31), ["日".repeat(15), "日".repeat(5)]);
        assert_eq!(wrap("a abcdefgh b", 3), ["a", "abcdefgh", "b"]);
        let full = "x".repeat(60);
        assert_eq!(
            wrap(&format!("{full} b"), 30),
            [&full[..30], &full[..30], "b"]
        );
    }

    #[test]
    fn breaks_words_between_grapheme_clusters() {
        for cluster in [
            "🇩🇪",
            "👍🏽",
            "👩\u{200d}👩\u{200d}👧",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "1\u{fe0f}\u{20e3}",
            "❤\u{fe0f}",
            "क्षि",
            "ශ\u{dca}\u{200d}රී",
            "தி",
            "e\u{323}\u{302}",
            "\u{1112}\u{1161}\u{11ab}",
            "กำ",
            "ก็",
            "مُ",
        ] {
            for columns in 28..32 {
                let word = cluster.repeat(40);
                let lines = wrap(&format!("a {word} b"), columns);
                assert!(lines.len() > 2, "{lines:?}");
                for line in &lines {
                    let rest = line.replace(cluster, "");
                    assert!(["", "a", "b", " b"].contains(&&*rest), "{cluster} {line:?}");
                    assert!(width(line) <= columns, "{line:?}");
                }
            }
        }
    }
}
