//! Macros for validated text types: conversions and serialization.

/// Implements the conversions of a type with a field `text: String`.
///
/// The type has a function `new(impl Into<String>) -> Result<Self, InvalidValue>`.
macro_rules! text_value {
    ($name:ident) => {
        impl $name {
            /// Returns the text exactly as it was passed.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.text
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.text
            }
        }
    };
}

/// Implements `Serialize` as a plain string.
macro_rules! serialize_as_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text)
            }
        }
    };
}

/// Implements `Deserialize` from a plain string with the constructor.
macro_rules! deserialize_from_text {
    ($name:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use {deserialize_from_text, serialize_as_text, text_value};
