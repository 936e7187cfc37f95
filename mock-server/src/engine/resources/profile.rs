//! The six editable fields of a profile.

use serde::{Deserialize, Serialize};

use super::limits::Limit;
use crate::engine::rejections::Rejection;

/// The six editable fields of a profile (section Resources of the specification).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Profile {
    /// Up to 32 characters.
    pub display_name: String,
    /// Up to 300 characters and up to 10 lines.
    pub bio: String,
    /// Up to 40 characters.
    pub location: String,
    /// `#rrggbb`, exactly as it was sent.
    pub accent_color: String,
    /// `#rrggbb`, exactly as it was sent.
    pub text_color: String,
    /// `#rrggbb`, exactly as it was sent.
    pub background_color: String,
}

impl Default for Profile {
    /// Returns empty strings and the colors black on white.
    fn default() -> Self {
        Self {
            display_name: String::new(),
            bio: String::new(),
            location: String::new(),
            accent_color: "#000000".to_owned(),
            text_color: "#000000".to_owned(),
            background_color: "#ffffff".to_owned(),
        }
    }
}

impl Profile {
    /// Returns the limits that the fields exceed.
    pub(crate) fn problems(&self) -> impl Iterator<Item = Rejection> {
        let mut copy = self.clone();
        FIELDS
            .iter()
            .flat_map(move |field| field.problems((field.value)(&mut copy)))
    }
}

/// One of the six editable fields.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    limit: Limit,
    /// Returns the value in a profile.
    pub(crate) value: fn(&mut Profile) -> &mut String,
}

#[rustfmt::skip]
pub(crate) static FIELDS: [Field; 6] = [
    Field { name: "display_name", limit: Limit::Characters(32), value: |it| &mut it.display_name },
    Field { name: "bio", limit: Limit::CharactersAndLines(300, 10), value: |it| &mut it.bio },
    Field { name: "location", limit: Limit::Characters(40), value: |it| &mut it.location },
    Field { name: "accent_color", limit: Limit::Color, value: |it| &mut it.accent_color },
    Field { name: "text_color", limit: Limit::Color, value: |it| &mut it.text_color },
    Field { name: "background_color", limit: Limit::Color, value: |it| &mut it.background_color },
];

pub(crate) static FIELD_NAMES: [&str; 6] = {
    let [a, b, c, d, e, f] = &FIELDS;
    [a.name, b.name, c.name, d.name, e.name, f.name]
};

impl Field {
    /// Returns the limits of this field that a value exceeds.
    pub(crate) fn problems(&self, value: &str) -> Vec<Rejection> {
        self.limit.problems(self.name, value)
    }
}
