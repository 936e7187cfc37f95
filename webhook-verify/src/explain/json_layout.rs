//! Rewriting of JSON with other whitespace.
//!
//! It does not use a JSON parser, which would lose the order of fields and the format of numbers.

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
}
