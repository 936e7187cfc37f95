//! The table of the editable fields of a profile.

use serde::{Deserialize, Serialize};

use super::field_limit::{Excess, FieldLimit};
/// Defines [`Profile`] and [`ProfileField::ALL`]. A row has the name of a field, its limit, its value
/// in a new profile, and its values in the profiles of `demo` and `grace`.
macro_rules! profile {
    ($(
        $(#[$doc:meta])*
        $name:ident: $limit:expr, default $default:literal, demo $demo:literal, grace $grace:literal;
    )*) => {
        /// The editable fields of a profile (section Resources of the specification). In JSON, an
        /// omitted field has its default: an empty string, or a color for black on white.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct Profile {
            $($(#[$doc])* pub $name: String,)*
        }

        impl Default for Profile {
            /// Returns empty strings and the colors black on white.
            fn default() -> Self {
                Self { $($name: $default.to_owned()),* }
            }
        }

        impl Profile {
            /// Returns the profile of `demo` in a new world.
            pub(in crate::engine) fn demo() -> Self {
                Self { $($name: $demo.to_owned()),* }
            }

            /// Returns the profile of `grace` in a new world.
            pub(in crate::engine) fn grace() -> Self {
                Self { $($name: $grace.to_owned()),* }
            }
        }

        impl ProfileField {
            /// All editable fields, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self {
                name: stringify!($name),
                limit: $limit,
                get: |profile| &profile.$name,
                get_mut: |profile| &mut profile.$name,
            }),*];

            /// The names of all editable fields.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        }
    };
}

profile! {
    /// Up to 32 characters.
    display_name: FieldLimit::characters(32),
        default "", demo "Demo Person", grace "Grace";
    /// Up to 300 characters and up to 10 lines.
    bio: FieldLimit::characters_and_lines(300, 10),
        default "",
        demo "I live inside a mock server.\nEdit me as you like.",
        grace "Another person, so that demo is not alone.";
    /// Up to 40 characters.
    location: FieldLimit::characters(40),
        default "", demo "127.0.0.1", grace "Elsewhere";
    /// `#rrggbb`, exactly as it was sent.
    accent_color: FieldLimit::Color,
        default "#000000", demo "#2563eb", grace "#9333ea";
    /// `#rrggbb`, exactly as it was sent.
    text_color: FieldLimit::Color,
        default "#000000", demo "#111827", grace "#000000";
    /// `#rrggbb`, exactly as it was sent.
    background_color: FieldLimit::Color,
        default "#ffffff", demo "#f9fafb", grace "#ffffff";
}

impl Profile {
    /// Returns the first field that exceeds its limit.
    pub(crate) fn problem(&self) -> Option<(&'static str, Excess)> {
        ProfileField::ALL.iter().find_map(|field| {
            let problems = field.limit.problems(field.get(self));
            Some((field.name, problems.into_iter().next()?))
        })
    }
}

/// An editable field of a profile, with its name and limit.
///
/// ```
/// use mock_server::{Profile, ProfileField};
///
/// let mut profile = Profile::default();
/// for field in ProfileField::ALL {
///     println!("{}: {}", field.name(), field.limit());
///     field.set(&mut profile, "x");
///     assert_eq!(field.get(&profile), "x");
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ProfileField {
    name: &'static str,
    limit: FieldLimit,
    get: fn(&Profile) -> &str,
    get_mut: fn(&mut Profile) -> &mut String,
}

impl ProfileField {
    /// Returns the name, such as `display_name`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the limit of the value.
    pub fn limit(&self) -> FieldLimit {
        self.limit
    }

    /// Returns the value in a profile.
    pub fn get<'a>(&self, profile: &'a Profile) -> &'a str {
        (self.get)(profile)
    }

    /// Sets the value in a profile, even one that exceeds the limit.
    pub fn set(&self, profile: &mut Profile, value: impl Into<String>) {
        *(self.get_mut)(profile) = value.into();
    }
}
