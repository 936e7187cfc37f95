//! Rewriting of JSON with other whitespace and escapes.
//!
//! It does not use a JSON parser, which would lose the order of fields and the format of numbers.

use alloc::format;
use alloc::string::String;

/// Returns the JSON with this text after each comma and colon and no other whitespace, or `None` if it
/// does not start like an object or array.
pub(super) fn rewrite(text: &str, space: &str) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut written = String::with_capacity(text.len());
    let mut before = "";
    for token in tokens(text) {
        if matches!(before, "," | ":") {
            written += space;
        }
        written += token;
        before = token;
    }
    Some(written)
}

/// Splits JSON into strings, words and single punctuation characters, without whitespace.
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

/// Replaces non-ASCII characters with `\u` escapes in lower case.
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

/// Replaces `\u` escapes of non-ASCII characters with the characters.
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

/// Returns the non-ASCII character if the text starts with its `\uXXXX` escape or surrogate pair.
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

    #[test]
    fn rewriting_keeps_the_tokens() {
        let spaced = r#"{"a": [1, 2.50, {"b": "x, y: {\"}"}], "c": {}, "d": []}"#;
        assert_eq!(rewrite(COMPACT, " ").as_deref(), Some(spaced));
        for text in [COMPACT, spaced, &spaced.replace("}, ", "\n} ,\t")] {
            assert_eq!(rewrite(text, "").as_deref(), Some(COMPACT));
        }
    }

    #[test]
    fn does_not_panic_on_invalid_json() {
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
            let rewritten = rewrite(text, " ");
            assert_eq!(rewritten.is_some(), text.starts_with(['{', '[']), "{text}");
        }
    }

    #[test]
    fn escapes_and_unescapes() {
        let text = "caf\u{e9} \u{1f600} \\n \\\\u00e9";
        let escaped = "caf\\u00e9 \\ud83d\\ude00 \\n \\\\u00e9";
        assert_eq!(escape(text), escaped);
        assert_eq!(unescape(escaped), text);
    }

    #[test]
    fn keeps_invalid_and_ascii_escapes() {
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
