//! Changes to profile fields, as entered by the user.

use profile_sdk::{Color, FieldKind, ProfileField, ProfileUpdate, internal::quoted};

use crate::drawing::text::shortened;
use crate::terminal::argument;

/// Validated changes.
#[derive(Debug, Default)]
pub(crate) struct ProfileChanges {
    pub(crate) update: ProfileUpdate,
    /// Notes about converted colors.
    pub(crate) notes: Vec<String>,
}

impl ProfileChanges {
    /// Validates and adds a field.
    pub(crate) fn add(&mut self, field: ProfileField, entered: &str) -> Result<(), String> {
        let is_color = field.kind() == FieldKind::Color;
        let color = is_color.then(|| parse_color(entered)).transpose();
        let color = color.map_err(|error| format!("{field}: {error}"))?;
        let text = color.as_ref().map_or(entered, Color::as_str);
        if text != entered {
            let note = format!("{field}: {entered} is sent as {text}");
            self.notes.push(note);
        }
        let set = self.update.set(field, text);
        set.map_err(|invalid| invalid.to_string())
    }
}

/// Parses a color, which may be written as `#rgb` or as a name.
fn parse_color(entered: &str) -> Result<Color, String> {
    let color = Color::new(entered).ok();
    let color = color.or_else(|| Color::new(doubled(entered)?).ok());
    color.or_else(|| named(entered)).ok_or_else(|| {
        // It may be the key.
        let shown = argument(entered.as_bytes());
        let shown = quoted(shortened(&shown));
        let examples = "for example #ff8800, #f80 or orange";
        format!("{shown} is not a color; expected #rrggbb, #rgb or a CSS name, {examples}")
    })
}

/// Expands `#rgb` to `#rrggbb`.
fn doubled(entered: &str) -> Option<String> {
    let digits = entered.strip_prefix('#');
    let digits = digits.filter(|digits| digits.len() == 3)?.chars();
    let digits = digits.flat_map(|digit| [digit, digit]);
    Some(['#'].into_iter().chain(digits).collect())
}

/// Returns the CSS color of this name, ignoring case.
fn named(entered: &str) -> Option<Color> {
    // `color` also parses functions such as `rgb()`, which are not supported.
    if !entered.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    // CSS has both spellings; `color` only has "gray".
    let name = entered.to_ascii_lowercase().replace("grey", "gray");
    let [red, green, blue, alpha] = color::parse_color(&name)
        .ok()?
        .to_alpha_color::<color::Srgb>()
        .to_rgba8()
        .to_u8_array();
    (alpha == u8::MAX).then(|| Color::from_rgb([red, green, blue]))
}

#[cfg(test)]
mod tests {
    use profile_sdk::ProfileField;

    use super::{ProfileChanges, parse_color};

    #[track_caller]
    fn check(entered: &str, sent: &str, note: Option<&str>) {
        let mut changes = ProfileChanges::default();
        changes.add(ProfileField::AccentColor, entered).unwrap();
        assert_eq!(changes.update.get(ProfileField::AccentColor), Some(sent));
        assert_eq!(changes.notes, Vec::from_iter(note));
    }

    #[test]
    fn sends_full_notation_as_typed() {
        check("#AbCdEf", "#AbCdEf", None);
    }

    #[test]
    fn converts_names_and_short_notation_with_a_note() {
        let note = "accent_color: RebeccaPurple is sent as #663399";
        check("RebeccaPurple", "#663399", Some(note));
        check(
            "lightSlateGrey",
            "#778899",
            Some("accent_color: lightSlateGrey is sent as #778899"),
        );
        check(
            "#F80",
            "#FF8800",
            Some("accent_color: #F80 is sent as #FF8800"),
        );
    }

    #[test]
    fn rejects_other_text() {
        for entered in [
            "",
            "#",
            "#ff",
            "#ffff",
            "ff8800",
            "#ggg",
            "#éé",
            "no such color",
            "rgb(1,2,3)",
            "transparent",
            " red",
        ] {
            assert!(parse_color(entered).is_err(), "{entered:?}");
        }
    }
}
