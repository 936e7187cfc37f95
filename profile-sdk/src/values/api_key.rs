//! The API key, which is never printed.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::values::macros::from_text;
use crate::values::{InvalidValue, key_redaction};

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
    /// Creates a key. One line break at the end, as files and pipes have it, is removed.
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

    /// Redacts the key in a text, in any encoding. Returns `None` if the text does not contain it.
    pub(crate) fn redact(&self, text: &str) -> Option<String> {
        key_redaction::redact(&self.text, text, false)
    }

    /// Redacts the key in a truncated text, including a part of the key at its end.
    pub(crate) fn redact_start(&self, text: &str) -> Option<String> {
        key_redaction::redact(&self.text, text, true)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(redacted)")
    }
}

from_text!(ApiKey);

impl<'de> Deserialize<'de> for ApiKey {
    /// Deserializes a string with [`ApiKey::new`]. Errors do not show the key.
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
    for (index, character) in text.chars().enumerate() {
        let found = match character {
            '!'..='~' => continue,
            character if character.is_ascii() || character.is_whitespace() => {
                "whitespace or a control character"
            }
            _ => "a character that is not ASCII",
        };
        let position = index + 1;
        return reject(format!(
            "has {found} at position {position}; expected visible ASCII only"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::values::api_key::ApiKey;

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
}
