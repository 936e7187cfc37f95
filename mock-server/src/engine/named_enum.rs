//! Enums whose variants have names.

/// Defines an enum with one row for each variant: its documentation and its name, which is also its
/// JSON form. Adds `ALL` and `as_str`, and prints the name as `Display`.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        pub enum $enum {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl $enum {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(super) use named_enum;
