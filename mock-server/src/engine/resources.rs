//! Accounts with their profiles, links, posts and badges, and the limits of the specification. The
//! limits are implemented independently of the client so that one misreading cannot affect both.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Problem;
use crate::input;

/// An account with its profile, links, posts and badges.
///
/// The fields are public so that a test can set any state, even one that exceeds the limits of the
/// service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Account {
    /// The email address, which is visible only to the owner.
    pub email: String,
    /// The visibility setting for the API, which is visible only to the owner.
    pub api_visible: bool,
    /// The editable fields.
    #[serde(deserialize_with = "input::nested_object")]
    pub profile: Profile,
    /// The links, oldest first.
    pub links: Vec<Link>,
    /// The posts, oldest first.
    pub posts: Vec<Post>,
    /// The IDs of the badges of the account.
    pub badges: Vec<String>,
}

impl Account {
    /// Creates an account with an empty profile and without links, posts and badges.
    pub(crate) fn new(handle: &str) -> Self {
        Self {
            email: format!("{handle}@example.com"),
            api_visible: true,
            profile: Profile::default(),
            links: Vec::new(),
            posts: Vec::new(),
            badges: Vec::new(),
        }
    }
}

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
    display_name: FieldLimit::Text { max_characters: 32, max_lines: None },
        default "", demo "Demo Person", grace "Grace";
    /// Up to 300 characters and up to 10 lines.
    bio: FieldLimit::Text { max_characters: 300, max_lines: Some(10) },
        default "",
        demo "I live inside a mock server.\nEdit me as you like.",
        grace "Another person, so that demo is not alone.";
    /// Up to 40 characters.
    location: FieldLimit::Text { max_characters: 40, max_lines: None },
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
    /// Returns the first problem of a field that exceeds its limit.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let fields = ProfileField::ALL.iter();
        let mut problems =
            fields.flat_map(|field| field.limit.problems(field.name, field.get(self)));
        problems.next()
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

/// The limit of a field of a profile. `Display` prints it as in the specification.
///
/// ```
/// use mock_server::FieldLimit;
///
/// let limit = FieldLimit::Text { max_characters: 300, max_lines: Some(10) };
/// assert_eq!(limit.to_string(), "up to 300 characters and up to 10 lines");
/// assert!(FieldLimit::Color.accepts("#ff8800"));
/// assert!(!FieldLimit::Color.accepts("red"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldLimit {
    /// A text.
    Text {
        /// The maximum number of Unicode scalar values.
        max_characters: usize,
        /// The maximum number of lines, if it is limited.
        max_lines: Option<usize>,
    },
    /// A color of the form `#rrggbb`.
    Color,
}

impl FieldLimit {
    /// Returns `true` if a value is within the limit.
    pub fn accepts(&self, value: &str) -> bool {
        self.problems("value", value).is_empty()
    }

    /// Returns the problems of a field with this limit, one for each part that its value exceeds.
    pub(crate) fn problems(&self, field: &'static str, text: &str) -> Vec<Problem> {
        match *self {
            Self::Text {
                max_characters: limit,
                max_lines,
            } => {
                let found = text.chars().count();
                let characters = Problem::TooManyCharacters {
                    field,
                    found,
                    limit,
                };
                let characters = (found > limit).then_some(characters);
                let found = lines(text);
                let limit = max_lines.filter(|limit| found > *limit);
                let lines = limit.map(|limit| Problem::TooManyLines {
                    field,
                    found,
                    limit,
                });
                characters.into_iter().chain(lines).collect()
            }
            Self::Color => check_color(field, text).err().into_iter().collect(),
        }
    }
}

impl fmt::Display for FieldLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text {
                max_characters,
                max_lines,
            } => {
                write!(f, "up to {max_characters} characters")?;
                match max_lines {
                    Some(lines) => write!(f, " and up to {lines} lines"),
                    None => Ok(()),
                }
            }
            Self::Color => f.write_str("format #rrggbb"),
        }
    }
}

/// Rejects a string that is not `#rrggbb`. The digits are case-insensitive.
pub(crate) fn check_color(field: &'static str, text: &str) -> Result<(), Problem> {
    let is_color = text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    is_color.then_some(()).ok_or(Problem::NotAColor { field })
}

/// Counts lines: `\r\n`, `\n` and a single `\r` each end a line, and the rest after the last of them
/// is a line too, even if it is empty.
fn lines(text: &str) -> usize {
    let breaks = text.replace("\r\n", "\n").matches(['\n', '\r']).count();
    breaks + 1
}

/// A link on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// The ID, such as `link_1`. Dialects with integer IDs use the number at its end.
    pub id: String,
    /// The title, without a limit.
    pub title: String,
    /// The absolute URL, as it was sent or as the dialect stores it.
    pub url: String,
    /// The time of creation: RFC 3339 in UTC and whole seconds.
    pub created_at: String,
}

/// A post on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Post {
    /// The ID, such as `post_3`. Dialects with integer IDs use the number at its end.
    pub id: String,
    /// The body, without a limit.
    pub body: String,
    /// The time of creation: RFC 3339 in UTC and whole seconds.
    pub created_at: String,
}

/// A badge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Badge {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) color: String,
    pub(crate) kind: String,
}

impl Badge {
    /// Creates a badge of the only kind in the specification.
    pub(super) fn new(id: &str, name: &str, description: &str, color: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            color: color.to_owned(),
            kind: "auto".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_line_breaks() {
        for (text, expected) in [
            ("", 1),
            ("a", 1),
            ("\n", 2),
            ("a\nb\n", 3),
            ("\r\n", 2),
            ("\n\r", 3),
            ("\r\r\n\n", 4),
            ("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f", 1),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
