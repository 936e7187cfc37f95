//! Comparison of profile fields.

use profile_sdk::{FieldKind, Profile, ProfileField, ProfileUpdate};

/// Returns the fields of an update that differ from the profile. An absent text is an empty one,
/// and the case of a color does not matter.
pub(super) fn changed(update: &ProfileUpdate, profile: &Profile) -> ProfileUpdate {
    let mut changed = ProfileUpdate::new();
    for field in ProfileField::ALL {
        let Some(text) = update.get(*field) else {
            continue;
        };
        let current = profile.get(*field).unwrap_or_default();
        let is_color = field.kind() == FieldKind::Color;
        if current != text && !(is_color && current.eq_ignore_ascii_case(text)) {
            // The text is that of a valid value.
            let _ = changed.set(*field, text);
        }
    }
    changed
}
