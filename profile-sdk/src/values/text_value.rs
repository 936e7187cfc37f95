//! Macros for validated text types.

/// Implements the conversions to a text of a type whose only field implements `AsRef<str>`.
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

/// Implements the conversions from a text of a type with a function
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

pub(crate) use {from_text, text_value};
