//! How a value becomes one segment of a request's path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::InvalidValue;
use crate::invalid_value::quoted;

/// RFC 3986's unreserved characters travel as they are, all others percent-encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Refuses the texts that no URL can carry as one segment, however they are encoded.
pub(crate) fn check_segment(field: &'static str, text: &str) -> Result<(), InvalidValue> {
    match text {
        "" => Err(InvalidValue::new(
            field,
            "is empty; at least one character is needed",
        )),
        "." | ".." => {
            let found = quoted(text);
            let reason = format!("{found} cannot be sent: a URL drops it from its path");
            Err(InvalidValue::new(field, reason))
        }
        _ => Ok(()),
    }
}

/// The text as one percent-encoded segment; it has passed [`check_segment`].
pub(crate) fn segment(text: &str) -> impl std::fmt::Display {
    utf8_percent_encode(text, ENCODED)
}

#[cfg(test)]
mod tests {
    use super::{check_segment, segment};

    #[test]
    fn no_text_leaves_its_segment() {
        for (text, encoded) in [
            ("demo", "demo"),
            ("a-b_c.d~e", "a-b_c.d~e"),
            ("../orgs/x?y=", "..%2Forgs%2Fx%3Fy%3D"),
            ("a\nb\t#", "a%0Ab%09%23"),
            ("%2e%2e", "%252e%252e"),
            ("é/🦀", "%C3%A9%2F%F0%9F%A6%80"),
            ("a\\b;c", "a%5Cb%3Bc"),
        ] {
            check_segment("handle", text).unwrap();
            assert_eq!(segment(text).to_string(), encoded);
        }
    }

    #[test]
    fn what_a_url_cannot_carry_is_refused() {
        assert_eq!(
            check_segment("handle", "").unwrap_err().to_string(),
            "handle is empty; at least one character is needed"
        );
        assert_eq!(
            check_segment("id", "..").unwrap_err().to_string(),
            "id \"..\" cannot be sent: a URL drops it from its path"
        );
    }
}
