//! The reason why a value cannot be sent to the service.

use std::fmt;

/// A value that the service would refuse, found before anything was sent.
///
/// Its `Display` says what was found and what is expected:
///
/// ```
/// let refused = profile_sdk::DisplayName::new("x".repeat(33)).unwrap_err();
/// assert_eq!(refused.field(), "display_name");
/// assert_eq!(refused.to_string(), "display_name has 33 characters; at most 32 are allowed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidValue {
    field: &'static str,
    reason: String,
}

impl InvalidValue {
    pub(crate) fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self {
            field,
            reason: reason.into(),
        }
    }

    /// What the value was meant for, in the specification's own word, for example `bio`.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.reason)
    }
}

impl std::error::Error for InvalidValue {}

/// How a refused text is shown in a message: quoted, escaped, and not at any length.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_escape_and_shorten() {
        assert_eq!(quoted("a\nb"), r#""a\nb""#);
        assert_eq!(quoted(&"é".repeat(61)), format!("\"{}\"…", "é".repeat(60)));
    }
}
