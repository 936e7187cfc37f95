//! Values in URLs: handles and the IDs of links and posts, which are one segment of a path, and numbers of days.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};

use crate::json::count_of;
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

/// A number of days: 1 to 365 for the caller's own profile, 1 to 30 for other profiles.
///
/// [`Days::new`] accepts 1 to 365, because only the service knows who owns a profile. Use
/// [`Days::for_other_profile`] if the profile belongs to someone else. (Specification: Endpoints,
/// `GET /users/{handle}/stats`; Limits.)
///
/// ```
/// use profile_sdk::Days;
///
/// assert_eq!(Days::new(365)?.get(), 365);
/// assert_eq!(Days::default().get(), 30);
/// assert_eq!(serde_json::to_string(&Days::new(7)?).unwrap(), "7");
/// assert_eq!(
///     Days::new(366).unwrap_err().to_string(),
///     "days is 366; expected 1 to 365 (1 to 30 for other profiles)",
/// );
/// assert_eq!(
///     Days::for_other_profile(31).unwrap_err().to_string(),
///     "days is 31; expected 1 to 30 for other profiles",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct Days(u16);

impl Days {
    /// The minimum number of days.
    pub const MIN: u16 = 1;

    /// The maximum number of days for the caller's own profile.
    pub const MAX_OWN: u16 = 365;

    /// The maximum number of days for other profiles.
    pub const MAX_OTHER: u16 = 30;

    /// The number of days that the service uses by default, and the value of [`Days::default`].
    pub const DEFAULT: Self = Self(30);

    /// Creates a number of days from 1 to 365.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is 0 or greater than 365.
    pub fn new(days: u16) -> Result<Self, InvalidValue> {
        let expected = "1 to 365 (1 to 30 for other profiles)";
        Self::within(days, Self::MAX_OWN, expected)
    }

    /// Creates a number of days from 1 to 30, the range for other profiles.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is 0 or greater than 30.
    pub fn for_other_profile(days: u16) -> Result<Self, InvalidValue> {
        Self::within(days, Self::MAX_OTHER, "1 to 30 for other profiles")
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }

    fn within(days: u16, max: u16, expected: &str) -> Result<Self, InvalidValue> {
        if (Self::MIN..=max).contains(&days) {
            return Ok(Self(days));
        }
        let reason = format!("is {days}; expected {expected}");
        Err(InvalidValue::new("days", reason))
    }
}

/// An optional number of days: [`Days`] or an `Option` of them.
#[diagnostic::on_unimplemented(message = "expected `Days::new(7)?` or `None`, not `{Self}`")]
pub trait OptionalDays: Into<Option<Days>> {}

impl OptionalDays for Days {}

impl OptionalDays for Option<Days> {}

impl From<Days> for u16 {
    fn from(days: Days) -> Self {
        days.0
    }
}

impl Default for Days {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Days {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(days) => Self::new(days),
            Err(_) => {
                let found = quoted_start(text);
                let reason = format!("is {found}; expected a whole number from 1 to 365");
                Err(InvalidValue::new("days", reason))
            }
        }
    }
}

impl TryFrom<u16> for Days {
    type Error = InvalidValue;

    fn try_from(days: u16) -> Result<Self, Self::Error> {
        Self::new(days)
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
pub(crate) fn segment(text: &str) -> impl fmt::Display {
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
