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
pub(super) const SECRET_CHANGES: [Change; 6] = [
    (Fix::SecretWithoutMark, without_mark),
    (Fix::SecretWithoutName, |secret| {
        let end = secret.iter().position(|byte| *byte == b'=')?;
        Some(secret[end + 1..].to_vec())
    }),
    (Fix::SecretTrimmed, |secret| {
        let Ok(text) = str::from_utf8(secret) else {
            return Some(secret.trim_ascii().to_vec());
        };
        let is_space =
            |it: char| it.is_whitespace() || "\u{200b}\u{200c}\u{200d}\u{2060}".contains(it);
        let text = text.trim_start_matches(is_space);
        Some(
            text.trim_end_matches(|it| is_space(it) || it == '\u{feff}')
                .into(),
        )
    }),
    (Fix::SecretUnquoted, |secret| {
        Some(without_quotes(secret)?.to_vec())
    }),
    (Fix::SecretFromHex, |secret| hex::decode(secret).ok()),
    (Fix::SecretFromBase64, |secret| {
        decode_base64(secret.strip_prefix(b"whsec_").unwrap_or(secret))
    }),
];

/// In the order in which they are combined.
pub(super) const BODY_CHANGES: [Change; 23] = [
    (Fix::BodyOfRecording, |body| {
        let end = body.windows(4).position(|four| four == b"\r\n\r\n");
        Some(body[end.filter(|_| body.starts_with(b"POST "))? + 4..].to_vec())
    }),
    (Fix::BodyWithoutMark, without_mark),
    (Fix::BodyFromUtf16, decode_utf16),
    (Fix::BodyFromForm, decode_form),
    (Fix::BodyFromBase64, decode_base64),
    (Fix::BodyToLatin1, |body| {
        let characters = str::from_utf8(body).ok()?.chars();
        characters.map(|it| u8::try_from(it).ok()).collect()
    }),
    (Fix::BodyFromLatin1, |body| {
        let characters = body.iter().copied().map(char::from);
        Some(characters.collect::<String>().into_bytes())
    }),
    (Fix::JsonIndented, |body| rewrite(body, " ", Some("  "))),
    (Fix::JsonIndented, |body| rewrite(body, " ", Some("    "))),
    (Fix::JsonIndented, |body| rewrite(body, " ", Some("\t"))),
    (Fix::JsonSpaced, |body| rewrite(body, " ", None)),
    (Fix::JsonCompact, |body| rewrite(body, "", None)),
    (Fix::EscapesDecoded, decode_escapes),
    (Fix::NonAsciiEscaped, |body| {
        escape(body, |it| !it.is_ascii(), false)
    }),
    (Fix::NonAsciiEscaped, |body| {
        escape(body, |it| !it.is_ascii(), true)
    }),
    (Fix::HtmlEscaped, |body| {
        escape(body, |it| "&<>\u{2028}\u{2029}".contains(it), false)
    }),
    // .NET escapes more of them, and in upper case.
    (Fix::HtmlEscaped, |body| {
        escape(body, |it| "&<>'+`".contains(it), true)
    }),
    (Fix::SlashesDecoded, |body| replace(body, r"\/", "/")),
    (Fix::SlashesEscaped, |body| {
        replace(&replace(body, r"\/", "/")?, "/", r"\/")
    }),
    (Fix::BodyWithoutNewline, without_newline),
    (Fix::BodyWithNewline, |body| Some([body, b"\n"].concat())),
    (Fix::BodyWithLf, |body| replace(body, "\r\n", "\n")),
    (Fix::BodyWithCrlf, |body| {
        replace(&replace(body, "\r\n", "\n")?, "\n", "\r\n")
    }),
];

fn without_mark(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes.strip_prefix(b"\xef\xbb\xbf")?.to_vec())
}

pub(super) fn without_quotes(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => Some(inner),
        _ => None,
    }
}

/// Decodes either alphabet, with or without padding and line breaks.
fn decode_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let characters = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let characters = characters.map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    });
    let characters: Vec<_> = characters.filter(|byte| *byte != b'=').collect();
    STANDARD.decode(characters).ok()
}

fn replace(body: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    Some(str::from_utf8(body).ok()?.replace(from, to).into_bytes())
}

/// Decodes UTF-16 after a byte order mark.
fn decode_utf16(body: &[u8]) -> Option<Vec<u8>> {
    let (mark, units) = body.split_at_checked(2)?;
    let (pairs, []) = units.as_chunks::<2>() else {
        return None;
    };
    let units: Vec<_> = match mark {
        [0xff, 0xfe] => pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect(),
        [0xfe, 0xff] => pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect(),
        _ => return None,
    };
    Some(String::from_utf16(&units).ok()?.into_bytes())
}

/// Decodes the field `payload` of a form.
fn decode_form(body: &[u8]) -> Option<Vec<u8>> {
    let mut fields = body.split(|byte| *byte == b'&');
    let value = fields.find_map(|field| field.strip_prefix(b"payload="))?;
    let mut parts = value.split(|byte| *byte == b'%');
    let plus = |byte: &u8| if *byte == b'+' { b' ' } else { *byte };
    let mut decoded: Vec<_> = parts.next()?.iter().map(plus).collect();
    for part in parts {
        decoded.extend(hex::decode(part.get(..2)?).ok()?);
        decoded.extend(part[2..].iter().map(plus));
    }
    Some(decoded)
}

/// Replaces `\u` escapes with their characters, except those that JSON requires.
fn decode_escapes(body: &[u8]) -> Option<Vec<u8>> {
    let mut rest = str::from_utf8(body).ok()?;
    let mut units = Vec::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        let hex = rest.strip_prefix("\\u").and_then(|rest| rest.get(..4));
        let unit = hex.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let unit = unit.filter(|unit| *unit >= 0x20 && ![0x22, 0x5c].contains(unit));
        let length = match (unit, first) {
            (Some(_), _) => 6,
            (None, '\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, _) => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match unit {
            Some(unit) => units.push(unit),
            None => units.extend(token.encode_utf16()),
        }
        rest = after;
    }
    Some(String::from_utf16(&units).ok()?.into_bytes())
}

/// Replaces characters with `\u` escapes, or those of a surrogate pair.
fn escape(body: &[u8], escapes: fn(char) -> bool, is_upper: bool) -> Option<Vec<u8>> {
    let mut written = String::new();
    for character in str::from_utf8(body).ok()?.chars() {
        if !escapes(character) {
            written.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            written += &match is_upper {
                true => format!("\\u{unit:04X}"),
                false => format!("\\u{unit:04x}"),
            };
        }
    }
    Some(written.into_bytes())
}

fn without_newline(body: &[u8]) -> Option<Vec<u8>> {
    let body = body.strip_suffix(b"\n")?;
    Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
}

/// Returns the JSON with this text after each comma and colon and no other whitespace, or with each member
/// and element on an indented line. Returns `None` if it does not start like an object or array, or would
/// become much longer: the length of the indentation can grow with the square of the depth.
///
/// It does not use a JSON parser, which would lose the order of fields and the format of numbers.
fn rewrite(body: &[u8], space: &str, indent: Option<&str>) -> Option<Vec<u8>> {
    let text = str::from_utf8(body).ok()?;
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut written = String::with_capacity(text.len());
    let mut before = "";
    let mut depth = 0_usize;
    for token in tokens(text) {
        if written.len() > 8 * text.len() + 1024 {
            return None;
        }
        let (opened, closes) = (matches!(before, "{" | "["), matches!(token, "}" | "]"));
        depth = depth.saturating_sub(closes.into());
        match indent {
            Some(indent) if before == "," || opened != closes => {
                written += "\n";
                written += &indent.repeat(depth);
            }
            _ if matches!(before, "," | ":") => written += space,
            _ => {}
        }
        written += token;
        depth += usize::from(matches!(token, "{" | "["));
        before = token;
    }
    Some(written.into_bytes())
}

/// Splits JSON into strings, words and single punctuation characters, without whitespace.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
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
            let written = rewrite(text.as_bytes(), space, None).unwrap();
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
            let rewritten = rewrite(text.as_bytes(), " ", None);
            let _ = rewrite(text.as_bytes(), " ", Some("  "));
            assert_eq!(rewritten.is_some(), text.starts_with(['{', '[']), "{text}");
        }
    }
}
