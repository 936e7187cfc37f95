//! The identifiers of links and posts.

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::InvalidValue;
use crate::request::path::check_segment;
use crate::values::text_value::text_value;

/// Declares an identifier that is a string or an integer in JSON.
macro_rules! resource_id {
    ($(#[$docs:meta])* $name:ident, $field:literal) => {
        $(#[$docs])*
        #[derive(Debug, Clone)]
        pub struct $name {
            text: String,
            written_as: WrittenAs,
        }

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
                Ok(Self { text, written_as: WrittenAs::String })
            }
        }

        text_value!($name);

        // The number 7 and the string "7" are the same identifier.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.text == other.text
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.text.hash(state);
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self { text: number.to_string(), written_as: WrittenAs::Integer }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.written_as.serialize(&self.text, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let (text, written_as) = deserializer.deserialize_any(IdVisitor)?;
                check_segment($field, &text).map_err(de::Error::custom)?;
                Ok(Self { text, written_as })
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

#[derive(Debug, Clone, Copy)]
enum WrittenAs {
    String,
    Integer,
}

impl WrittenAs {
    fn serialize<S: Serializer>(self, text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, text.parse::<i128>()) {
            (Self::Integer, Ok(number)) => match u64::try_from(number) {
                Ok(number) => serializer.serialize_u64(number),
                Err(_) => serializer.serialize_i128(number),
            },
            _ => serializer.serialize_str(text),
        }
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = (String, WrittenAs);

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an id (a string or an integer)")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok((text.to_owned(), WrittenAs::String))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok((number.to_string(), WrittenAs::Integer))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok((number.to_string(), WrittenAs::Integer))
    }
}
