//! Changes that senders, frameworks and settings make to secrets and bodies, undone.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD as STANDARD;

use super::Fix;

/// A fix, and the function that applies it to a secret or a body if possible.
pub(super) type Change = (Fix, fn(&[u8]) -> Option<Vec<u8>>);

/// In the order in which they are combined.
pub(super) const SECRET_CHANGES: [Change; 4] = [
    (Fix::SecretWithoutName, |secret| {
        let end = secret.iter().position(|byte| *byte == b'=')?;
        Some(secret[end + 1..].to_vec())
    }),
    (Fix::SecretTrimmed, |secret| {
        let text = str::from_utf8(secret).map(|text| text.trim().as_bytes());
        Some(text.unwrap_or(secret.trim_ascii()).to_vec())
    }),
    (Fix::SecretUnquoted, |secret| match secret {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => Some(inner.to_vec()),
        _ => None,
    }),
    (Fix::SecretFromBase64, |secret| {
        let text = str::from_utf8(secret).ok()?;
        let text = text.strip_prefix("whsec_").unwrap_or(text);
        STANDARD.decode(text.trim_end_matches('=')).ok()
    }),
];

/// The characters of the bytes 0x80 to 0x9F; the others are those of Latin-1.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// In the order in which they are combined.
pub(super) const BODY_CHANGES: [Change; 11] = [
    (Fix::BodyToWindows1252, |body| {
        let byte = |it| match WINDOWS_1252.chars().position(|other| other == it) {
            Some(index) => u8::try_from(0x80 + index).ok(),
            None => u8::try_from(it).ok(),
        };
        str::from_utf8(body).ok()?.chars().map(byte).collect()
    }),
    (Fix::JsonSpaced, |body| rewrite(body, " ")),
    (Fix::JsonCompact, |body| rewrite(body, "")),
    (Fix::EscapesDecoded, decode_escapes),
    (Fix::NonAsciiEscaped, |body| {
        escape(body, |it| !it.is_ascii(), lower_case)
    }),
    (Fix::NonAsciiEscaped, |body| {
        escape(body, |it| !it.is_ascii(), upper_case)
    }),
    (Fix::HtmlEscaped, |body| {
        escape(body, |it| "&<>\u{2028}\u{2029}".contains(it), lower_case)
    }),
    // .NET escapes more of them, and in upper case.
    (Fix::HtmlEscaped, |body| {
        escape(body, |it| "\"&<>'+`".contains(it), upper_case)
    }),
    (Fix::SlashesEscaped, |body| {
        escape(body, |it| it == '/', |_| r"\/".into())
    }),
    (Fix::BodyWithoutNewline, |body| {
        let body = body.strip_suffix(b"\n")?;
        Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
    }),
    (Fix::BodyWithNewline, |body| Some([body, b"\n"].concat())),
];

/// Replaces `\/` and `\u` escapes with their characters, except those that JSON requires.
fn decode_escapes(body: &[u8]) -> Option<Vec<u8>> {
    let mut rest = str::from_utf8(body).ok()?;
    let mut units = Vec::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        let hex = rest.strip_prefix("\\u").and_then(|rest| rest.get(..4));
        let unit = hex.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let unit = unit.filter(|unit| *unit >= 0x20 && *unit != 0x5c);
        let length = match (unit, first) {
            (Some(_), _) => 6,
            (None, '\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, _) => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match (unit, token) {
            (Some(0x22), _) => units.extend("\\\"".encode_utf16()),
            (Some(unit), _) => units.push(unit),
            (None, "\\/") => units.push(b'/'.into()),
            (None, _) => units.extend(token.encode_utf16()),
        }
        rest = after;
    }
    Some(String::from_utf16(&units).ok()?.into_bytes())
}

/// Replaces characters, and `"` where it is escaped, with what `written` returns for each UTF-16 unit.
fn escape(body: &[u8], escapes: fn(char) -> bool, written: fn(u16) -> String) -> Option<Vec<u8>> {
    let mut escaped = String::new();
    let mut characters = str::from_utf8(body).ok()?.chars();
    while let Some(first) = characters.next() {
        let is_escape = first == '\\';
        let character = if is_escape { characters.next()? } else { first };
        if escapes(character) && (is_escape || character != '"') {
            let mut buffer = [0; 2];
            let units = character.encode_utf16(&mut buffer).iter();
            escaped.extend(units.map(|unit| written(*unit)));
        } else {
            escaped.extend(is_escape.then_some(first));
            escaped.push(character);
        }
    }
    Some(escaped.into_bytes())
}

fn lower_case(unit: u16) -> String {
    format!("\\u{unit:04x}")
}

fn upper_case(unit: u16) -> String {
    format!("\\u{unit:04X}")
}

/// Returns the JSON with this text after each comma and colon and no other whitespace. Returns `None` if it does
/// not start like an object or array.
///
/// It does not use a JSON parser, which would lose the order of fields and the format of numbers.
fn rewrite(body: &[u8], space: &str) -> Option<Vec<u8>> {
    let text = str::from_utf8(body).ok()?;
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
    Some(written.into_bytes())
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
        let rewrite = |text: &str, space| {
            let written = rewrite(text.as_bytes(), space).unwrap();
            String::from_utf8(written).unwrap()
        };
        assert_eq!(rewrite(COMPACT, " "), spaced);
        for text in [COMPACT, spaced, &spaced.replace("}, ", "\n} ,\t")] {
            assert_eq!(rewrite(text, ""), COMPACT);
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
            let rewritten = rewrite(text.as_bytes(), " ");
            assert_eq!(rewritten.is_some(), text.starts_with(['{', '[']), "{text}");
        }
    }
}
