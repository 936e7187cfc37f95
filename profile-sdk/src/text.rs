//! Texts of a service, in the form in which messages contain them.

use std::borrow::Cow;

use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation as _;

const MAX_CHARACTERS: usize = 500;

/// Maximum number of characters of a quoted start.
const QUOTED: usize = 60;

/// The characters that [`quoted`] escapes although they are visible.
const QUOTES: [char; 2] = ['"', '\\'];

/// Returns a text of the service in quotation marks, for a message.
///
/// Quotation marks, backslashes, control characters, invisible characters, and those that change the order
/// of others are escaped as in Rust. Joiners, variation selectors and the tags of flags are only escaped
/// where they do not shape the characters beside them.
///
/// ```
/// assert_eq!(profile_sdk::internal::quoted("\"नमस्ते\" 👩‍👧"), r#""\"नमस्ते\" 👩‍👧""#);
/// assert_eq!(profile_sdk::internal::quoted("a\n\u{200b}"), r#""a\n\u{200b}""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    push_visible(&mut quoted, text, &QUOTES);
    quoted + "\""
}

/// Quotes the start of a text.
pub(crate) fn quoted_start(text: &str) -> String {
    match start(text, QUOTED) {
        Some(start) => format!("{}…", quoted(start)),
        None => quoted(text),
    }
}

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
        push_visible(&mut line, word, &[]);
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
    match start(text, max_characters) {
        Some(start) => Cow::Owned(format!("{start}…")),
        None => Cow::Borrowed(text),
    }
}

/// Returns the start of a text that has more characters, without the part of a grapheme cluster.
fn start(text: &str, max_characters: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(max_characters)?;
    Some(longest_start(text, |start| start.len() <= end))
}

/// Returns the longest start of a text that fits and does not end within a grapheme cluster, such as an
/// emoji of several characters.
///
/// ```
/// let start = profile_sdk::internal::longest_start("e\u{301}e\u{301}", |start| start.chars().count() <= 3);
/// assert_eq!(start, "e\u{301}");
/// ```
#[must_use]
pub fn longest_start(text: &str, fits: impl Fn(&str) -> bool) -> &str {
    let clusters = text.grapheme_indices(true);
    let starts = clusters.map(|(start, cluster)| &text[..start + cluster.len()]);
    let fitting = starts.take_while(|start| fits(start));
    fitting.last().unwrap_or_default()
}

/// Appends a text, in which these characters and hidden ones are escaped.
fn push_visible(line: &mut String, text: &str, escaped: &[char]) {
    // Such a character would change the one before the text, or an escaped one.
    let extends = |c| is_ignorable(c) || format!("a{c}").graphemes(true).nth(1).is_none();
    let mut is_start = true;
    for (c, is_visible) in with_visibility(text) {
        let is_escaped = !is_visible
            || c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}')
            || escaped.contains(&c)
            || (is_start && extends(c));
        match is_escaped {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
        is_start = is_escaped;
    }
}

/// Returns the characters of a text, each with `false` if it is invisible or changes the order of others.
///
/// Joiners, variation selectors and the tags of flags are only visible where they shape the characters
/// beside them. Control characters, which do not hide, are visible.
///
/// ```
/// let visible = profile_sdk::internal::with_visibility("a\u{200b}☁\u{fe0f}\n").filter(|(_, is_visible)| *is_visible);
/// assert_eq!(visible.map(|(c, _)| c).collect::<String>(), "a☁\u{fe0f}\n");
/// ```
pub fn with_visibility(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut start = 0;
    text.char_indices().map(move |(at, c)| {
        let end = at + c.len_utf8();
        let is_visible = !is_ignorable(c) || shapes(&text[start..at], c, &text[end..]);
        start = if is_visible { start } else { end };
        (c, is_visible)
    })
}

/// Returns `true` if an invisible character shapes those beside it. `before` are the characters before it
/// up to an invisible one.
fn shapes(before: &str, c: char, after: &str) -> bool {
    const FLAG: char = '\u{1f3f4}';
    let is_selector = |c| matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let is_tag = |c| matches!(c, '\u{e0020}'..='\u{e007f}');
    let is_virama = |c| canonical_combining_class(c) == 9;
    let is_emoji =
        |c| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}');
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let (last, next) = (last.unwrap_or(' '), next.unwrap_or(' '));
    match c {
        '\u{200c}' | '\u{200d}' => {
            let is_in_word = last.is_alphanumeric() && next.is_alphanumeric();
            let is_in_word = is_in_word && next >= '\u{300}';
            is_virama(last) || is_virama(next) || is_in_word || (is_emoji(last) && is_emoji(next))
        }
        _ if is_selector(c) => !last.is_whitespace() && !is_selector(last),
        // The longest region has six letters, and one tag is the end.
        _ if is_tag(c) => {
            (last == FLAG || is_tag(last)) && before.chars().rev().take(7).any(|c| c == FLAG)
        }
        _ => false,
    }
}

/// Returns `true` for characters that reorder others or are invisible on their own: those with the Unicode
/// property `Default_Ignorable_Code_Point`, and annotations.
const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{one_line, quoted, quoted_start, shorten};

    #[test]
    fn joins_lines_and_escapes_hidden_characters() {
        assert_eq!(one_line(" Bad\r\n\tgateway\u{2028}"), "Bad gateway");
        assert_eq!(one_line("a\u{202e}b \u{feff}"), r"a\u{202e}b \u{feff}");
        assert_eq!(one_line("नमस्ते 👩‍💻 e\u{301}"), "नमस्ते 👩‍💻 e\u{301}");
    }

    #[test]
    fn quotes_ordinary_texts_as_they_are() {
        for text in [
            "नमस्ते",
            "สวัสดีปีใหม่",
            "مُحَمَّد",
            "می\u{200c}خواهم PDF\u{200c}ها",
            "שָׁלוֹם",
            "Vie\u{323}\u{302}t Nam",
            "❤\u{fe0f} ☁\u{fe0f}\u{200d}⚡",
            "👩\u{200d}👩\u{200d}👧 👍🏽 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 🏴\u{200d}☠\u{fe0f}",
            "🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            "1\u{fe0f}\u{20e3}",
            "\u{1112}\u{1161}\u{11ab}",
            "தமிழ் க்ஷ",
            "ශ\u{dca}\u{200d}රී",
            "র\u{200d}\u{9cd}যাব",
            "അവന\u{d4d}\u{200d}",
            "क\u{94d}\u{200d}ष क\u{94d}\u{200c}ष",
            "葛\u{e0100}",
            "«\u{a0}Ça\u{202f}!\u{a0}» it's\u{3000}\u{e000}",
        ] {
            assert_eq!(quoted(text), format!("\"{text}\""));
        }
    }

    #[test]
    fn escapes_what_hides_or_is_ambiguous() {
        let many = "\u{e0061}".repeat(8);
        for (text, expected) in [
            ("a\"b\\c\nd", r#"a\"b\\c\nd"#),
            ("\u{1b}[2J\u{9b}\u{7f}", r"\u{1b}[2J\u{9b}\u{7f}"),
            (
                "a\u{202e}b\u{2066}c\u{200e}",
                r"a\u{202e}b\u{2066}c\u{200e}",
            ),
            ("a\u{200d}", r"a\u{200d}"),
            ("\u{200d}म", r"\u{200d}म"),
            ("می\u{200c}", r"می\u{200c}"),
            ("می\u{200c}\u{200c}خ", r"می\u{200c}\u{200c}خ"),
            ("pay\u{200c}pal", r"pay\u{200c}pal"),
            ("👩\u{200d} 👧\u{200d}", r"👩\u{200d} 👧\u{200d}"),
            (
                "a\u{200b}\u{2060}\u{feff}\u{ad}b",
                r"a\u{200b}\u{2060}\u{feff}\u{ad}b",
            ),
            (
                "\u{3164}\u{115f}\u{ffa0}\u{34f}",
                r"\u{3164}\u{115f}\u{ffa0}\u{34f}",
            ),
            ("\u{301}a \u{fe0f}", r"\u{301}a \u{fe0f}"),
            ("\"\u{301}", r#"\"\u{301}"#),
            ("a\u{fe00}\u{fe01}", "a\u{fe00}\\u{fe01}"),
            ("a\u{e0067}", r"a\u{e0067}"),
            (
                &format!("🏴{many}"),
                &format!(r"🏴{}\u{{e0061}}", "\u{e0061}".repeat(7)),
            ),
            ("a\u{2028}b\u{fff9}", r"a\u{2028}b\u{fff9}"),
        ] {
            assert_eq!(quoted(text), format!("\"{expected}\""));
        }
    }

    #[test]
    fn shortens_between_grapheme_clusters() {
        assert_eq!(one_line(&"é".repeat(600)).chars().count(), 501);
        assert_eq!(one_line(&"é ".repeat(5000)).chars().count(), 501);
        assert_eq!(shorten(&"x".repeat(101)), format!("{}…", "x".repeat(100)));
        assert_eq!(shorten("x"), "x");
        assert_eq!(
            quoted_start(&"é".repeat(61)),
            format!("\"{}\"…", "é".repeat(60))
        );
        let family = "👩\u{200d}👩\u{200d}👧";
        let text = format!("{}{family}", "x".repeat(58));
        assert_eq!(quoted_start(&text), format!("\"{}\"…", "x".repeat(58)));
    }
}
