//! Changes to profile fields as typed.

use profile_sdk::{FieldKind, InvalidValue, ProfileField, ProfileUpdate};

use super::typed_color::{InvalidColor, TypedColor};

/// Validated changes.
#[derive(Debug, Default)]
pub(crate) struct ProfileChanges {
    pub(crate) update: ProfileUpdate,
    /// Notes about converted colors.
    pub(crate) notes: Vec<String>,
}

/// The error for a text that is not a value of its field.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidField {
    #[error(transparent)]
    Value(#[from] InvalidValue),
    #[error("{field}: {error}")]
    Color {
        field: ProfileField,
        error: InvalidColor,
    },
}

impl ProfileChanges {
    /// Validates and adds a field.
    pub(crate) fn add(&mut self, field: ProfileField, typed: &str) -> Result<(), InvalidField> {
        if field.kind() != FieldKind::Color {
            return Ok(self.update.set(field, typed)?);
        }
        let typed: TypedColor = typed
            .parse()
            .map_err(|error| InvalidField::Color { field, error })?;
        self.notes.extend(typed.note(field.name()));
        Ok(self.update.set(field, typed.color.as_str())?)
    }
}
