//! The identifiers of links and posts.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};

use crate::values::InvalidValue;
use crate::values::path_segment::check_segment;
use crate::values::text_value::{from_text, text_value};

/// Declares an identifier that is a string or an integer in JSON.
macro_rules! resource_id {
    ($(#[$docs:meta])* $name:ident, $field:literal) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
        from_text!($name);

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.text
            }
        }

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
        match self.text.parse::<Number>() {
            Ok(number) if self.is_number => number.serialize(serializer),
            _ => serializer.serialize_str(&self.text),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self {
                text,
                is_number: false,
            }),
            Value::Number(number) if !number.is_f64() => Ok(number.into()),
            _ => Err(D::Error::custom("expected an id: a string or an integer")),
        }
    }
}
