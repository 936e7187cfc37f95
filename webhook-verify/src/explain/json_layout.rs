//! JSON with other white space and other escapes: the same tokens in the same order.
//!
//! A parser would not do: it loses the order of fields and how numbers were written.

use alloc::format;
use alloc::string::String;

#[derive(Clone, Copy)]
pub(super) enum Layout {
    Compact,
    Spaced,
    Indented(usize),
}

/// How many times as long as the text a layout may be that is longer than [`SHORT`]: the indents of
/// deep nesting grow with its square.
const MOST_GROWTH: usize = 16;

/// A length in bytes up to which any layout is written.
const SHORT: usize = 1024 * 1024;

/// The text in another layout, or nothing if it does not begin like an object or array, or if the
/// layout is longer than anyone would send.
pub(super) fn rewrite(text: &str, layout: Layout) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut written = String::with_capacity(text.len() * 2);
    let mut depth = 0usize;
    let mut before = "";
    let longest = SHORT.max(MOST_GROWTH * text.len());
    for token in tokens(text) {
        if written.len() > longest {
            return None;
        }
        let opens = matches!(before, "{" | "[");
        let closes = matches!(token, "}" | "]");
        depth = (depth + usize::from(opens)).saturating_sub(usize::from(closes));
        // Nothing stands between the brackets of an empty object or array.
        if before == "," || opens != closes {
            written += &gap(layout, depth, before == ",");
        } else if before == ":" && !matches!(layout, Layout::Compact) {
            written.push(' ');
        }
        written += token;
        before = token;
    }
    Some(written)
}

/// What stands after a comma, after an opening bracket or before a closing one.
fn gap(layout: Layout, depth: usize, after_comma: bool) -> String {
    match layout {
        Layout::Spaced if after_comma => String::from(" "),
        Layout::Compact | Layout::Spaced => String::new(),
        Layout::Indented(width) => format!("\n{}", " ".repeat(width * depth)),
    }
}

/// Strings and words whole, punctuation one by one, white space left out.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    core::iter::from_fn(move || {
        let end = match rest.chars().next()? {
            '"' => end_of_string(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => end_of_word(rest),
        };
        let (token, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(token)
    })
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return index + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

fn end_of_word(text: &str) -> usize {
    let is_end = |character: char| character.is_whitespace() || "{}[],:\"".contains(character);
    text.find(is_end).unwrap_or(text.len())
}

/// `\u` escapes, in lower case, in place of all that is not ASCII.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            escaped.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            escaped += &format!("\\u{unit:04x}");
        }
    }
    escaped
}

/// The characters that `\u` escapes beyond ASCII stand for.
pub(super) fn unescape(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, escape) = rest.split_at(start);
        unescaped += before;
        let length = match escaped_character(escape) {
            Some(character) => {
                unescaped.push(character);
                character.len_utf16() * "\\uXXXX".len()
            }
            None => {
                let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
                unescaped += &escape[..length];
                length
            }
        };
        rest = &escape[length..];
    }
    unescaped + rest
}

/// The character beyond ASCII that the text begins with, as one `\uXXXX` or a pair of them.
fn escaped_character(text: &str) -> Option<char> {
    let units = [unit(text)?]
        .into_iter()
        .chain(text.get(6..).and_then(unit));
    let character = char::decode_utf16(units).next()?.ok()?;
    (!character.is_ascii()).then_some(character)
}

fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: &str = r#"{"a":[1,2.50,{"b":"x, y: {\"}"}],"c":{},"d":[]}"#;

    #[track_caller]
    fn check(layout: Layout, expected: &str) {
        assert_eq!(rewrite(COMPACT, layout).as_deref(), Some(expected));
        assert_eq!(rewrite(expected, Layout::Compact).as_deref(), Some(COMPACT));
    }

    #[test]
    fn every_layout_keeps_the_tokens() {
        check(Layout::Compact, COMPACT);
        check(
            Layout::Spaced,
            r#"{"a": [1, 2.50, {"b": "x, y: {\"}"}], "c": {}, "d": []}"#,
        );
        check(
            Layout::Indented(2),
            "{\n  \"a\": [\n    1,\n    2.50,\n    {\n      \"b\": \"x, y: {\\\"}\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}",
        );
    }

    #[test]
    fn what_is_no_json_does_not_panic() {
        for text in [
            "",
            "}",
            "[}",
            "{\"",
            "[\"\\",
            "{]]]]",
            "[\u{e9}\u{2028}",
            "word",
        ] {
            let rewritten = rewrite(text, Layout::Indented(4));
            assert_eq!(rewritten.is_some(), text.starts_with(['{', '[']), "{text}");
        }
    }

    #[test]
    fn endless_indents_are_not_written() {
        let deep = "[".repeat(10_000);
        assert!(rewrite(&deep, Layout::Indented(4)).is_none());
        assert_eq!(rewrite(&deep, Layout::Compact), Some(deep));
    }

    #[test]
    fn escapes_are_written_and_read() {
        let text = "caf\u{e9} \u{1f600} \\n \\\\u00e9";
        let escaped = "caf\\u00e9 \\ud83d\\ude00 \\n \\\\u00e9";
        assert_eq!(escape(text), escaped);
        assert_eq!(unescape(escaped), text);
    }

    #[test]
    fn an_escape_that_is_none_stays() {
        for text in [
            "\\",
            "\\u",
            "\\u00",
            "\\ud83d",
            "\\ud83d\\u0041",
            "\\u0041",
            "\\\u{e9}",
        ] {
            assert_eq!(unescape(text), text);
        }
    }
}
