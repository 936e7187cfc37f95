//! The table of the editable fields, and the types that have a member for each of them.

use std::fmt;
use std::str::FromStr;

use crate::resources::{ApiVisible, Badge, Extra, KeyInfo, Link, Post, objects, responses};
use crate::text::quoted_start;
use crate::values::{Bio, Color, DisplayName, Field, FieldKind, Handle, InvalidValue, Location};

/// Declares the types. A row is a variant, the field's name in JSON with the type of its values, its
/// name with hyphens, and its description.
macro_rules! profile_fields {
    ($($variant:ident, $name:ident: $value:ident, $kebab_name:literal, $description:literal;)*) => {
        /// An editable field of a profile.
        ///
        /// Programs that handle every field, for example to print a profile, iterate over
        /// [`ALL`](Self::ALL) instead of naming the fields. `Display` prints, and `FromStr` reads,
        /// the name in JSON. (Specification: Resources, Profile.)
        ///
        /// ```
        /// use profile_sdk::{Profile, ProfileField, ProfileUpdate};
        ///
        /// let mut profile = Profile::default();
        /// profile.bio = Some("I write programs.".to_owned());
        /// for field in ProfileField::ALL {
        ///     if let Some(text) = profile.get(*field) {
        ///         println!("{}: {text}", field.description());
        ///     }
        /// }
        ///
        /// let field: ProfileField = "bio".parse()?;
        /// println!("{field}: {}", field.kind());
        /// let mut update = ProfileUpdate::new();
        /// update.set(field, "I also write poems.")?;
        /// assert_eq!(update.get(field), Some("I also write poems."));
        /// # Ok::<(), profile_sdk::InvalidValue>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ProfileField {
            $(#[doc = concat!("The ", $description, ": [`", stringify!($value), "`].")] $variant,)*
        }

        impl ProfileField {
            /// All fields, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in JSON, for example `display_name`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($name),)*
                }
            }

            /// Returns the name with hyphens, as in command-line options, for example
            /// `display-name`.
            #[must_use]
            pub fn kebab_name(self) -> &'static str {
                match self {
                    $(Self::$variant => $kebab_name,)*
                }
            }

            /// Returns a short description, for example `display name`.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$variant => $description,)*
                }
            }

            /// Returns the kind of the values, with its limits.
            #[must_use]
            pub fn kind(self) -> FieldKind {
                match self {
                    $(Self::$variant => $value::KIND,)*
                }
            }
        }

        responses! {
            /// A profile.
            ///
            /// The service decides which fields a response contains. Absent and null fields are `None`.
            /// Values are not validated; parse a color with [`Color`] to check it. (Specification: Resources, Profile.)
            ///
            /// Tests can create one from JSON or with `Default`:
            ///
            /// ```
            /// let mut profile = profile_sdk::Profile::default();
            /// profile.display_name = Some("Ada".to_owned());
            /// ```
            pub struct Profile {
                /// The handle.
                pub handle: Option<Handle>,
                $(
                    #[doc = concat!("The ", $description, ".")]
                    pub $name: Option<String>,
                )*
                /// The links. `None` means that the response does not list them, not that there are
                /// none.
                pub links: Option<Vec<Link>>,
                /// The posts. `None` means that the response does not list them.
                pub posts: Option<Vec<Post>>,
                /// The badges. `None` means that the response does not list them.
                pub badges: Option<Vec<Badge>>,
                /// The owner's email address. Only in `GET /me`.
                pub email: Option<String>,
                /// The visibility setting for the API. Only in `GET /me`.
                pub api_visible: Option<ApiVisible>,
                /// The calling key. Only in `GET /me`.
                pub key: Option<KeyInfo>,
                /// All other fields, as the service sent them. Also fields with an unexpected type, except
                /// for those that can be edited; such a field of a link, post or badge is in the `extra`
                /// of that element. A list is here as a whole if an element is not an object, or is a
                /// badge without `id` or `name`.
                #[serde(flatten)]
                pub extra: Extra,
            }
        }

        impl Profile {
            /// Returns the value of an editable field, as the service sent it.
            #[must_use]
            pub fn get(&self, field: ProfileField) -> Option<&str> {
                match field {
                    $(ProfileField::$variant => self.$name.as_deref(),)*
                }
            }
        }

        objects! {
            /// Changes to a profile. A field that is `None` is not changed. An empty text clears the
            /// field.
            ///
            /// `Deserialize` rejects unknown fields, as the service does. Set the fields directly, for
            /// example to an option, with the methods, or by [`ProfileField`]:
            ///
            /// ```
            /// use profile_sdk::ProfileUpdate;
            ///
            /// let location = Some("".parse()?);
            /// let mut update = ProfileUpdate::new()
            ///     .display_name("Ada".parse()?)
            ///     .accent_color("#ff8800".parse()?);
            /// update.location = location;
            /// assert_eq!(
            ///     serde_json::to_string(&update)?,
            ///     r##"{"display_name":"Ada","location":"","accent_color":"#ff8800"}"##,
            /// );
            /// assert_eq!(update.bio, None);
            /// assert_eq!(update, serde_json::from_str(&serde_json::to_string(&update)?)?);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[derive(Debug, Clone, Default, PartialEq, Eq)]
            #[non_exhaustive]
            #[must_use]
            pub struct ProfileUpdate {
                $(
                    #[doc = concat!("The new ", $description, ".")]
                    pub $name: Option<$value>,
                )*
            }
        }

        impl Field for ProfileUpdate {
            fn missing() -> Option<Self> {
                Some(Self::new())
            }
        }

        impl ProfileUpdate {
            /// Creates an update without changes.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                #[doc = concat!("Changes the ", $description, ".")]
                pub fn $name(mut self, $name: $value) -> Self {
                    self.$name = Some($name);
                    self
                }
            )*

            /// Changes a field.
            ///
            /// # Errors
            ///
            /// Returns an error if the text is not a valid value of the field. The error's
            /// [`field`](InvalidValue::field) is the name in JSON.
            pub fn set(&mut self, field: ProfileField, text: &str) -> Result<(), InvalidValue> {
                let named = |error: InvalidValue| error.of_field(field.name());
                match field {
                    $(ProfileField::$variant => {
                        self.$name = Some($value::new(text).map_err(named)?);
                    })*
                }
                Ok(())
            }

            /// Returns the new value of a field, or `None` if the field is not changed.
            #[must_use]
            pub fn get(&self, field: ProfileField) -> Option<&str> {
                match field {
                    $(ProfileField::$variant => self.$name.as_ref().map($value::as_str),)*
                }
            }

            /// Returns `true` if no field is set. The service accepts an empty update.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }
    };
}

profile_fields! {
    DisplayName, display_name: DisplayName, "display-name", "display name";
    Bio, bio: Bio, "bio", "bio";
    Location, location: Location, "location", "location";
    AccentColor, accent_color: Color, "accent-color", "accent color";
    TextColor, text_color: Color, "text-color", "text color";
    BackgroundColor, background_color: Color, "background-color", "background color";
}

impl ProfileUpdate {
    /// Returns the fields that are changed, with their new values.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (ProfileField, &str)> {
        let fields = ProfileField::ALL.iter().copied();
        fields.filter_map(|field| Some((field, self.get(field)?)))
    }
}

/// Returns the error message for a field of an update that is null, which could mean that it stays as it is
/// or is cleared.
pub(crate) fn null_message(name: &str) -> Option<String> {
    let remedy = match name.parse().map(ProfileField::kind) {
        Ok(FieldKind::Color) => "; in YAML, quote a color, as in '#ff8800': # starts a comment",
        Ok(FieldKind::Text { .. } | FieldKind::MultilineText { .. }) => ", or use \"\" to clear it",
        Err(_) if matches!(name, "title" | "url") => "",
        Err(_) => return None,
    };
    Some(format!("{name} is null; leave it out{remedy}"))
}

impl fmt::Display for ProfileField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ProfileField {
    type Err = InvalidValue;

    fn from_str(name: &str) -> Result<Self, InvalidValue> {
        let mut fields = Self::ALL.iter().copied();
        fields.find(|field| field.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|field| field.name()).collect();
            let (found, expected) = (quoted_start(name), names.join(", "));
            let reason = format!("{found} is unknown; expected one of {expected}");
            InvalidValue::new("field", reason)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::resources::ProfileUpdate;
    use crate::resources::profile_field::ProfileField;

    #[test]
    fn names_and_descriptions_correspond() {
        for field in ProfileField::ALL {
            assert_eq!(field.kebab_name(), field.name().replace('_', "-"));
            assert_eq!(field.description(), field.name().replace('_', " "));
            assert_eq!(field.to_string().parse(), Ok(*field));
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_known_ones() {
        let error = "nickname".parse::<ProfileField>().unwrap_err().to_string();
        let expected = r#"field "nickname" is unknown; expected one of display_name, bio, "#;
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn errors_name_the_field() {
        let mut update = ProfileUpdate::new();
        let error = update.set(ProfileField::TextColor, "red").unwrap_err();
        assert_eq!(error.field(), "text_color");
        let expected = "text_color \"red\" is not of the form #rrggbb, for example #ff8800";
        assert_eq!(error.to_string(), expected);
        assert!(update.is_empty());
    }
}
