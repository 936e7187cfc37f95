//! The editable fields of a profile by name.

use profile_sdk::{Bio, Color, DisplayName, InvalidValue, Location, Profile, ProfileUpdate};

use crate::input::typed_color::TypedColor;
use crate::session::dry_run::Change;

/// The fields in the order of the specification.
pub(crate) const FIELDS: [&str; 6] = [
    "display_name",
    "bio",
    "location",
    "accent_color",
    "text_color",
    "background_color",
];

/// Validated changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) update: ProfileUpdate,
    /// Notes about converted colors.
    pub(crate) notes: Vec<String>,
}

impl Changes {
    /// Validates and adds a field.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> Result<(), String> {
        let Self { update, notes } = self;
        let message = |error: InvalidValue| error.to_string();
        match name {
            "display_name" => {
                update.display_name = Some(DisplayName::new(text).map_err(message)?);
            }
            "bio" => update.bio = Some(Bio::new(text).map_err(message)?),
            "location" => update.location = Some(Location::new(text).map_err(message)?),
            _ => {
                let color: TypedColor = text.parse().map_err(|error| format!("{name}: {error}"))?;
                notes.extend(color.note(name));
                let field = match name {
                    "accent_color" => &mut update.accent_color,
                    "text_color" => &mut update.text_color,
                    _ => &mut update.background_color,
                };
                *field = Some(color.color);
            }
        }
        Ok(())
    }
}

/// Returns the value of a field.
pub(crate) fn field_of<'a>(profile: &'a Profile, field: &str) -> Option<&'a str> {
    let value = match field {
        "display_name" => &profile.display_name,
        "bio" => &profile.bio,
        "location" => &profile.location,
        "accent_color" => &profile.accent_color,
        "text_color" => &profile.text_color,
        "background_color" => &profile.background_color,
        _ => return None,
    };
    value.as_deref()
}

/// Returns the names and texts of the fields in an update.
pub(crate) fn texts(update: &ProfileUpdate) -> impl Iterator<Item = (&'static str, &str)> {
    let values = [
        update.display_name.as_ref().map(DisplayName::as_str),
        update.bio.as_ref().map(Bio::as_str),
        update.location.as_ref().map(Location::as_str),
        update.accent_color.as_ref().map(Color::as_str),
        update.text_color.as_ref().map(Color::as_str),
        update.background_color.as_ref().map(Color::as_str),
    ];
    let fields = FIELDS.into_iter().zip(values);
    fields.filter_map(|(name, value)| Some((name, value?)))
}

/// Returns the changes that an update would make.
pub(crate) fn differences(update: &ProfileUpdate, profile: &Profile) -> Vec<Change> {
    let change = |(name, to)| Change::new(name, field_of(profile, name), to);
    texts(update).map(change).collect()
}

/// Returns the fields of an update that differ from the profile. An absent text is an empty one,
/// and the case of a color does not matter.
pub(super) fn changed(update: &ProfileUpdate, profile: &Profile) -> ProfileUpdate {
    let is_same = |name: &str, text: &str| {
        let current = field_of(profile, name).unwrap_or_default();
        current == text || (name.ends_with("color") && current.eq_ignore_ascii_case(text))
    };
    let mut changes = Changes::default();
    for (name, text) in texts(update) {
        if !is_same(name, text) {
            // The text is that of a valid value.
            let _ = changes.add(name, text);
        }
    }
    changes.update
}
