//! The API key, which is never printed, and its redaction in texts.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::values::{InvalidValue, from_text};

/// An API key, sent as `Authorization: Bearer <API_KEY>` to the configured host only.
///
/// A key consists of visible ASCII characters. It does not implement `Display`, and `Debug` does
/// not show it. (Specification: Authentication.)
///
/// ```
/// use profile_sdk::ApiKey;
///
/// let key = ApiKey::new("secret-key\n")?; // one trailing line break is trimmed
/// assert_eq!(format!("{key:?}"), "ApiKey(redacted)");
/// assert_eq!("secret-key".parse(), Ok(key));
/// assert_eq!(
///     ApiKey::new("two words").unwrap_err().to_string(),
///     "API key has whitespace or a control character at position 4; \
///      expected visible ASCII only",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    text: String,
}

impl ApiKey {
    /// Creates a key. One line break at the end, usual in files and pipes, is removed.
    ///
    /// # Errors
    ///
    /// Returns an error if the key is empty or contains anything but visible ASCII characters. The
    /// message contains the position, not the key.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let mut text = text.into();
        let kept = text.strip_suffix('\n').unwrap_or(&text);
        let kept = kept.strip_suffix('\r').unwrap_or(kept);
        text.truncate(kept.len());
        check(&text)?;
        Ok(Self { text })
    }

    /// Returns the key, for the `Authorization` header.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Replaces the key in a text by `[redacted]`, even if it is encoded for JSON, a URL or HTML. A key of fewer
    /// than 6 bytes is a placeholder, and stays.
    ///
    /// ```
    /// use profile_sdk::ApiKey;
    ///
    /// let key = ApiKey::new("canary")?;
    /// assert_eq!(key.redact_in("you sent canary"), "you sent [redacted]");
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn redact_in<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Self::redact_all(std::slice::from_ref(self), text, usize::MAX)
    }

    /// Replaces all of these keys like [`redact_in`](Self::redact_in), and starts of them with at least `min_start`
    /// characters, which remain where a text was cut.
    ///
    /// ```
    /// use profile_sdk::ApiKey;
    ///
    /// let keys = [ApiKey::new("canary-1")?, ApiKey::new("canary-23")?];
    /// assert_eq!(ApiKey::redact_all(&keys, "canary-1, canary-2…", 8), "[redacted], [redacted]…");
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn redact_all<'a>(keys: &[Self], text: &'a str, min_start: usize) -> Cow<'a, str> {
        let cut = |length, _: &[u8]| (length >= min_start).then_some(0);
        redact(&secrets(keys), text, cut).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Redacts the key in a text, in any encoding, and a part of the key at the end of a truncated text.
    /// Returns `None` if the text does not contain it, or if the key is so short that it is a placeholder.
    pub(crate) fn redact(&self, text: &str, is_truncated: bool) -> Option<String> {
        let is_cut = |rest: &[u8]| is_truncated && is_partial_escape(rest);
        let cut = |_, rest: &[u8]| is_cut(rest).then_some(rest.len());
        redact(&secrets(std::slice::from_ref(self)), text, cut)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(redacted)")
    }
}

from_text!(ApiKey);

impl<'de> Deserialize<'de> for ApiKey {
    /// Deserializes a string with [`ApiKey::new`]. Errors do not show the key, but `toml` quotes the line:
    /// print only `toml::de::Error::message`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The original error would show a key that consists of digits.
        let text = String::deserialize(deserializer)
            .map_err(|_| D::Error::custom("API key is not a string; put it in quotes"))?;
        Self::new(text).map_err(D::Error::custom)
    }
}

fn check(text: &str) -> Result<(), InvalidValue> {
    let reject = |reason: String| Err(InvalidValue::new("API key", reason));
    if text.is_empty() {
        return reject("is empty; expected the key that the service issued".to_owned());
    }
    let mut characters = text.chars().enumerate();
    let Some((index, invalid)) = characters.find(|(_, c)| !c.is_ascii_graphic()) else {
        return Ok(());
    };
    let found = match invalid.is_ascii() || invalid.is_whitespace() {
        true => "whitespace or a control character",
        false => "a character that is not ASCII",
    };
    let position = index + 1;
    reject(format!(
        "has {found} at position {position}; expected visible ASCII only"
    ))
}

const REPLACEMENT: &str = "[redacted]";

/// The minimum length of a key that is redacted. Shorter ones would occur in words.
const MIN_SECRET_BYTES: usize = 6;

/// The maximum length of one encoded character, as in `&#0047;`.
const MAX_ENCODED_BYTES: usize = 7;

/// Returns the keys that are not placeholders.
fn secrets(keys: &[ApiKey]) -> Vec<&[u8]> {
    let keys = keys.iter().map(|key| key.text.as_bytes());
    keys.filter(|key| key.len() >= MIN_SECRET_BYTES).collect()
}

/// Redacts keys in a text, even if they are encoded for JSON, a URL or HTML. Returns `None` if the text contains
/// none of them. For a start of a key, `cut` returns the length of the rest of the text that belongs to it, if it counts.
fn redact(
    keys: &[&[u8]],
    text: &str,
    cut: impl Fn(usize, &[u8]) -> Option<usize>,
) -> Option<String> {
    let (mut redacted, mut end) = (String::new(), 0);
    // A key starts with its first character or with an escape sequence.
    let may_start =
        |byte: &u8| b"%\\&".contains(byte) || keys.iter().any(|key| key.first() == Some(byte));
    for position in (0..text.len()).filter(|at| may_start(&text.as_bytes()[*at])) {
        let ends = keys
            .iter()
            .filter_map(|key| find(key, text.as_bytes(), position, &cut));
        if let Some(found) = ends.max() {
            // Keys may overlap.
            if position >= end {
                redacted.push_str(&text[end..position]);
                redacted.push_str(REPLACEMENT);
            }
            end = end.max(found);
        }
    }
    (end > 0).then(|| redacted + &text[end..])
}

/// Returns the end of the key, or of a start of it that counts, at a position.
fn find(
    key: &[u8],
    text: &[u8],
    position: usize,
    cut: impl Fn(usize, &[u8]) -> Option<usize>,
) -> Option<usize> {
    if text[position..].starts_with(key) {
        return Some(position + key.len());
    }
    let mut end = position;
    for (length, character) in key.iter().enumerate() {
        let rest = &text[end..];
        end += match decode_escape(rest) {
            Some((decoded, length)) if decoded == *character => length,
            _ if rest.first() == Some(character) => 1,
            _ => return Some(end + cut(length, rest)?),
        };
    }
    Some(end)
}

/// Decodes the escape sequence at the start of a text. Returns the character and the length of the
/// sequence.
fn decode_escape(text: &[u8]) -> Option<(u8, usize)> {
    match *text {
        [b'%', high, low, ..] => Some((parse_hex(&[high, low])?, 3)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => Some((parse_hex(&[high, low])?, 6)),
        [b'\\', escaped, ..] if escaped.is_ascii_punctuation() => Some((escaped, 2)),
        [b'&', ..] => decode_entity(text),
        _ => None,
    }
}

/// Decodes a named or numeric HTML entity.
fn decode_entity(text: &[u8]) -> Option<(u8, usize)> {
    let start = &text[..text.len().min(MAX_ENCODED_BYTES)];
    let end = start.iter().position(|byte| *byte == b';')?;
    let name = start[1..end].to_ascii_lowercase();
    let decoded = match &*name {
        b"amp" => b'&',
        b"lt" => b'<',
        b"gt" => b'>',
        b"quot" => b'"',
        b"apos" => b'\'',
        [b'#', b'x', digits @ ..] => parse_hex(digits)?,
        [b'#', digits @ ..] => str::from_utf8(digits).ok()?.parse().ok()?,
        _ => return None,
    };
    Some((decoded, end + 1))
}

fn parse_hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

fn is_partial_escape(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'%' | b'\\' | b'&') => rest.len() < MAX_ENCODED_BYTES,
        Some(_) => false,
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, is_partial_escape, redact};

    #[test]
    fn trims_one_line_break() {
        for text in ["key", "key\n", "key\r\n", "key\r"] {
            assert_eq!(ApiKey::new(text).unwrap().expose(), "key", "{text:?}");
        }
        assert!(ApiKey::new("key\n\n").is_err());
    }

    #[test]
    fn errors_never_show_the_key() {
        for text in [
            " canary",
            "canary ",
            "can ary",
            "canaré",
            "can\u{7f}ary",
            "canary\u{a0}",
        ] {
            let message = ApiKey::new(text).unwrap_err().to_string();
            assert!(!message.contains("can"), "{message}");
        }
        assert_eq!(
            ApiKey::new("\n").unwrap_err().to_string(),
            "API key is empty; expected the key that the service issued"
        );
    }

    #[track_caller]
    fn check(key: &str, text: &str, redacted: &str) {
        let found = redact(&[key.as_bytes()], text, |_, _| None);
        assert_eq!(
            found.as_deref().unwrap_or(text),
            redacted,
            "{key} in {text}"
        );
    }

    #[test]
    fn redacts_encoded_keys() {
        check("a/b", r"x a/b y a\/b z", "x [redacted] y [redacted] z");
        for written in [
            "a%2Fb",
            "a%2fb",
            "%61%2F%62",
            r"a\u002Fb",
            r"\u0061\u002f\u0062",
            "a&#x2F;b",
            "a&#X2f;b",
            "a&#47;b",
            "a&#047;b",
        ] {
            check("a/b", &format!("é{written}é"), "é[redacted]é");
        }
        check(r#"<&">'"#, "&lt;&amp;&quot;&gt;&#39;", "[redacted]");
        check(r#"<&">'"#, "&LT;&#38;&#x22;&gt;&apos;", "[redacted]");
        check(r#"\"/"#, r#"\\\"\/"#, "[redacted]");
    }

    #[test]
    fn redacts_keys_that_look_encoded() {
        for key in ["a%25b", "a%2Fb", "%%25", "a&amp;b", r"a\\b", r"a\u002fb"] {
            check(key, key, "[redacted]");
            let percent = key.bytes().map(|byte| format!("%{byte:02X}"));
            check(key, &percent.collect::<String>(), "[redacted]");
            let json = key.bytes().map(|byte| format!("\\u{byte:04x}"));
            check(key, &json.collect::<String>(), "[redacted]");
            let html = key.bytes().map(|byte| format!("&#{byte};"));
            check(key, &html.collect::<String>(), "[redacted]");
        }
    }

    #[test]
    fn does_not_redact_other_texts() {
        for text in [
            "", "a b", "A/B", "a%2F", r"a\u002", "a%2Gb", "ab", "a//b", "a",
        ] {
            check("a/b", text, text);
        }
        check("aab", "aaab", "a[redacted]");
        check("Key", "key KEY Key", "key KEY [redacted]");
    }

    #[test]
    fn redacts_a_prefix_in_truncated_texts() {
        let is_cut = |_, rest: &[u8]| is_partial_escape(rest).then_some(rest.len());
        for cut in [
            "a",
            "ab",
            "ab/",
            "ab%",
            "ab%2",
            "ab%2f",
            r"ab\",
            r"ab\u00",
            "ab&#x2F;c",
            "ab/cd",
        ] {
            let text = format!("x {cut}");
            assert_eq!(
                redact(&[b"ab/cd"], &text, is_cut).as_deref(),
                Some("x [redacted]"),
                "{cut}"
            );
        }
        assert_eq!(redact(&[b"ab/cd"], "x abc", is_cut), None);
    }
}
