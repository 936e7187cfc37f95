//! Values that are one segment of a path: handles, and the IDs of links and posts.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};

use crate::number::count_of;
use crate::text::quoted_start;
use crate::values::{Field, InvalidValue, text_value};

/// The handle of a profile: any text except the empty text, `.` and `..`, which cannot be part of a
/// URL path.
///
/// The specification defines no other rules. The handle is percent-encoded as one path segment, so
/// it cannot reach another endpoint. (Specification: Endpoints, `GET /users/{handle}/stats`.)
///
/// ```
/// use profile_sdk::Handle;
///
/// assert_eq!(Handle::new("demo")?.as_str(), "demo");
/// assert!(Handle::new("../me").is_ok());
/// assert!(Handle::new("..").is_err());
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle(String);

impl Handle {
    /// Creates a handle. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is empty, `.` or `..`.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_segment("handle", &text)?;
        Ok(Self(text))
    }
}

text_value!(Handle);

impl Field for Handle {}

/// Declares an identifier that is a string or an integer in JSON.
macro_rules! resource_id {
    ($(#[$docs:meta])* $name:ident, $field:literal) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Id);

        impl $name {
            /// Creates an identifier. The text is not changed.
            ///
            /// # Errors
            ///
            /// Returns an error if the text is empty, `.` or `..`, which cannot be part of a URL
            /// path.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
                let text = text.into();
                check_segment($field, &text)?;
                Ok(Self(Id { text, is_number: false }))
            }
        }

        text_value!($name);

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self(Id::from(Number::from(number)))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = Id::deserialize(deserializer)?;
                check_segment($field, &id.text).map_err(D::Error::custom)?;
                Ok(Self(id))
            }
        }
    };
}

resource_id! {
    /// The identifier of a link, displayed as the service sent it. An integer that does not fit
    /// into 64 bits keeps all its digits.
    ///
    /// ```
    /// use profile_sdk::LinkId;
    ///
    /// let number: LinkId = serde_json::from_str("42")?;
    /// let text: LinkId = serde_json::from_str(r#""42""#)?;
    /// assert_eq!(number, text);
    /// assert_eq!(serde_json::to_string(&number)?, "42");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    LinkId, "link id"
}

resource_id! {
    /// The identifier of a post, displayed as the service sent it. An integer that does not fit
    /// into 64 bits keeps all its digits.
    ///
    /// ```
    /// use profile_sdk::PostId;
    ///
    /// assert_eq!(PostId::new("post_1")?.to_string(), "post_1");
    /// assert!(PostId::new("").is_err());
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    PostId, "post id"
}

#[derive(Debug, Clone)]
struct Id {
    text: String,
    /// `true` if it is a number in JSON.
    is_number: bool,
}

// The number 7 and the string "7" are the same identifier.
impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Id {}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl From<Number> for Id {
    fn from(number: Number) -> Self {
        Self {
            text: number.to_string(),
            is_number: true,
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A `Number` would be a table in TOML if a crate enables `arbitrary_precision`.
        match (self.is_number, self.text.parse(), self.text.parse()) {
            (true, Ok(number), _) => serializer.serialize_u64(number),
            (true, _, Ok(number)) => serializer.serialize_i64(number),
            _ => serializer.serialize_str(&self.text),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            // U+FFFD replaces what could not be decoded, so it would be another id.
            Value::String(text) if !text.contains('\u{fffd}') => Ok(Self {
                text,
                is_number: false,
            }),
            Value::Number(number) if !number.is_f64() => Ok(number.into()),
            // `7.0` is `7`.
            value => match count_of(&value) {
                Some(number) => Ok(Number::from(number).into()),
                None => Err(D::Error::custom("expected an id: a string or an integer")),
            },
        }
    }
}

/// All characters except the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Rejects values that cannot be one segment of a URL in any encoding.
fn check_segment(field: &'static str, text: &str) -> Result<(), InvalidValue> {
    let reason = match text {
        "" => "is empty; expected at least one character".to_owned(),
        "." | ".." => {
            let found = quoted_start(text);
            format!("{found} is not allowed: URLs remove it from their path")
        }
        _ => return Ok(()),
    };
    Err(InvalidValue::new(field, reason))
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
