//! Macros for the types of values.

/// Implements `as_str`, `Display` and `AsRef<str>` for a type whose only field implements `AsRef<str>`.
macro_rules! text_value {
    ($name:ident) => {
        impl $name {
            /// Returns the text exactly as it was passed.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.0.as_ref()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
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

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

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

/// Declares structs that are read from objects without unknown or repeated fields. A derived `Deserialize`
/// would read lists, too.
macro_rules! objects {
    ($($(#[$attribute:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $value:ty,)*
    })*) => {$(
        $(#[$attribute])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $value,)*
        }

        const _: () = {
            type Declared = $name;

            #[derive(serde::Deserialize)]
            #[serde(remote = "Declared", deny_unknown_fields)]
            struct Fields {
                $($(#[$of_field])* $field: $value,)*
            }

            struct Object;

            impl<'de> serde::de::Visitor<'de> for Object {
                type Value = $name;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                    Fields::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                    input.deserialize_map(Object)
                }
            }
        };
    )*};
}

pub(crate) use {from_text, objects, open_enum, text_value};
