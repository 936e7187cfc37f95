//! Values that are one segment of a path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::values::InvalidValue;
use crate::values::invalid_value::quoted;

/// All characters except the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Rejects values that cannot be one segment of a URL in any encoding.
pub(crate) fn check_segment(field: &'static str, text: &str) -> Result<(), InvalidValue> {
    match text {
        "" => Err(InvalidValue::new(
            field,
            "is empty; expected at least one character",
        )),
        "." | ".." => {
            let found = quoted(text);
            let reason = format!("{found} is not allowed: URLs remove it from their path");
            Err(InvalidValue::new(field, reason))
        }
        _ => Ok(()),
    }
}

/// Percent-encodes a value that has passed [`check_segment`].
pub(crate) fn segment(text: &str) -> impl std::fmt::Display {
    utf8_percent_encode(text, ENCODED)
}

#[cfg(test)]
mod tests {
    use super::{check_segment, segment};

    #[test]
    fn encodes_a_value_as_one_segment() {
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
    fn rejects_invalid_segments() {
        assert_eq!(
            check_segment("handle", "").unwrap_err().to_string(),
            "handle is empty; expected at least one character"
        );
        assert_eq!(
            check_segment("id", "..").unwrap_err().to_string(),
            "id \"..\" is not allowed: URLs remove it from their path"
        );
    }
}
