//! Macros for the types of values.

/// Implements `Display` with `as_str`, and with the format options for texts.
macro_rules! display_text {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

/// Implements `as_str`, `Display`, `AsRef<str>` and the conversions from and to texts for a type whose only
/// field implements `AsRef<str>`.
macro_rules! text_value {
    ($name:ident) => {
        impl $name {
            /// Returns the text exactly as it was passed.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.0.as_ref()
            }
        }

        $crate::values::display_text!($name);
        $crate::values::from_text!($name);

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.as_str().to_owned()
            }
        }
    };
}

/// Implements the conversions from text to a type with a function
/// `new(impl Into<String>) -> Result<Self, InvalidValue>`.
macro_rules! from_text {
    ($name:ident) => {
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
    };
}

/// Declares an enum of known names, with a variant `Other` that keeps unknown ones.
macro_rules! open_enum {
    ($(#[$docs:meta])* $enum:ident { $($variant:ident = $name:literal,)* }) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $enum {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// A name that is not in the specification.
            Other(String),
        }

        impl $enum {
            /// The names in the specification.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for $enum {
            fn from(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::Other(name.to_owned()),
                }
            }
        }

        impl std::str::FromStr for $enum {
            type Err = std::convert::Infallible;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(name))
            }
        }

        $crate::values::display_text!($enum);

        impl serde::Serialize for $enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $enum {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|name| Self::from(name.as_str()))
            }
        }
    };
}

/// The value of a field of a resource.
pub(crate) trait Field: PartialEq + Sized {
    /// Returns the value if the field is missing, or `None` if it must not be.
    fn missing() -> Option<Self> {
        None
    }

    /// Returns `true` if it is written as a missing field.
    fn is_missing(&self) -> bool {
        Self::missing().as_ref() == Some(self)
    }
}

impl<T: PartialEq> Field for Option<T> {
    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl Field for String {}
impl Field for u64 {}

/// A type as JSON, which is a map in every format.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Json(pub(crate) serde_json::Value);

/// Declares a type that is written and read as [`Json`]. A private type with the same fields derives this form.
macro_rules! as_json {
    ($(#[$attribute:meta])* pub $kind:ident $name:ident $fields:tt, $($serde:tt)*) => {
        $(#[$attribute])*
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(into = "crate::values::Json", try_from = "crate::values::Json")]
        pub $kind $name $fields

        const _: () = {
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde($($serde)*)]
            $kind Derived $fields

            impl From<$name> for $crate::values::Json {
                fn from(value: $name) -> Self {
                    let json = Derived::serialize(&value, serde_json::value::Serializer);
                    Self(json.expect("all keys are texts"))
                }
            }

            impl TryFrom<$crate::values::Json> for $name {
                type Error = serde_json::Error;

                fn try_from(json: $crate::values::Json) -> serde_json::Result<Self> {
                    Derived::deserialize(json.0)
                }
            }
        };
    };
}

pub(crate) use {as_json, display_text, from_text, open_enum, text_value};
