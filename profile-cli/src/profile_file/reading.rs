//! Reads a file: TOML, or the JSON that `export --json` prints.

use profile_sdk::plan::DesiredProfile;
use profile_sdk::{FieldKind, ProfileField};
use toml_edit::{Document, Item};

use crate::input::profile_changes::TypedColor;
use crate::outcome::failure::Failure;

/// A problem at a line and a column, counted from 1.
type Problem = ((usize, usize), String);

/// Parses a file. The failure has the form `NAME:LINE:COLUMN: problem`.
pub(crate) fn parse(name: &str, text: &str) -> Result<DesiredProfile, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = match text.trim_start().starts_with('{') {
        true => from_json(text),
        false => from_toml(&with_converted_colors(text)),
    };
    let desired = parsed.map_err(|((line, column), message)| {
        Failure::usage(format!("{name}:{line}:{column}: {message}")).hint("nothing was sent")
    })?;
    match desired.profile.is_empty() && desired.links.is_none() {
        true => Err(Failure::usage(format!(
            "{name} has neither fields nor links; expected the output of `profile export`"
        ))),
        false => Ok(desired),
    }
}

fn from_json(text: &str) -> Result<DesiredProfile, Problem> {
    serde_json::from_str(text).map_err(|error: serde_json::Error| {
        let message = error.to_string();
        let message = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(message, _)| message);
        ((error.line(), error.column()), message.to_owned())
    })
}

fn from_toml(text: &str) -> Result<DesiredProfile, Problem> {
    toml_edit::de::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        (position(text, start), message)
    })
}

/// Returns TOML in which colors of the profile that are typed in another form are `#rrggbb`.
fn with_converted_colors(text: &str) -> String {
    let mut converted = text.to_owned();
    let Ok(document) = Document::parse(text) else {
        return converted;
    };
    let profile = document.get("profile").and_then(Item::as_table_like);
    let colors = ProfileField::ALL
        .iter()
        .filter(|field| field.kind() == FieldKind::Color);
    let mut replacements: Vec<_> = colors
        .filter_map(|field| {
            let item = profile?.get(field.name())?;
            let typed: TypedColor = item.as_str()?.parse().ok()?;
            Some((item.span()?, format!("\"{}\"", typed.color)))
        })
        .collect();
    replacements.sort_by_key(|(span, _)| span.start);
    for (span, color) in replacements.into_iter().rev() {
        converted.replace_range(span, &color);
    }
    converted
}

/// Returns the line and the column of an offset, counted from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn converts_colors_and_keeps_the_rest() {
        let text =
            "[profile]\ntext_color = 'Black' # not #fff\naccent_color = \"#f80\"\nbio = 'red'";
        let profile = parse("a file", text).expect("a file").profile;
        let text = |color: Option<profile_sdk::Color>| color.map(|color| color.to_string());
        assert_eq!(text(profile.text_color).as_deref(), Some("#000000"));
        assert_eq!(text(profile.accent_color).as_deref(), Some("#ff8800"));
        assert_eq!(profile.bio.expect("a bio").as_str(), "red");
    }
}
