//! The limits of the profile, as the specification states them.

use serde_json::Value;

/// The fields of the profile.
pub(super) const PROFILE: [&str; 6] = [
    "display_name",
    "bio",
    "location",
    "accent_color",
    "text_color",
    "background_color",
];

/// Returns `true` for `#rrggbb`, and for an empty string, which clears a color.
pub(super) fn is_color(value: &Value) -> bool {
    let is_hex =
        |text: &str| text.len() == 6 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_color = |text: &str| text.is_empty() || text.strip_prefix('#').is_some_and(is_hex);
    value.as_str().is_some_and(is_color)
}

/// Returns `true` for a text within the limits of a field of the profile.
pub(super) fn is_within_limits(field: &str, value: &Value) -> bool {
    let (max_characters, max_lines) = match field {
        "display_name" => (32, usize::MAX),
        "bio" => (300, 10),
        "location" => (40, usize::MAX),
        _ => return is_color(value),
    };
    value
        .as_str()
        .is_some_and(|text| text.chars().count() <= max_characters && lines(text) <= max_lines)
}

/// Counts lines, which end with `\n`, `\r\n` or a lone `\r`.
fn lines(text: &str) -> usize {
    text.replace("\r\n", "\n").split(['\n', '\r']).count()
}
