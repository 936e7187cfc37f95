//! Writes a profile as a file.

use profile_sdk::plan::{DesiredLink, DesiredProfile};
use profile_sdk::{Profile, ProfileField, ProfileUpdate};

use super::toml_text::quoted;
use crate::outcome::failure::{Failure, FailureKind};
use crate::terminal::printable::redact_key;

/// Returns the profile as it can be applied, with a warning for each value that the specification
/// does not allow and that is therefore left out.
pub(crate) fn exported(profile: &Profile, service: String) -> (DesiredProfile, Vec<String>) {
    let mut desired = DesiredProfile::from(profile);
    if let Some(source) = &mut desired.source {
        source.service = Some(service);
    }
    let mut warnings = Vec::new();
    for field in ProfileField::ALL {
        let text = profile.get(*field).filter(|text| !text.is_empty());
        if let Some(Err(problem)) = text.map(|text| ProfileUpdate::new().set(*field, text)) {
            warnings.push(format!("left out {field}: {problem}"));
        }
    }
    for link in profile.links.iter().flatten() {
        if let Err(problem) = DesiredLink::try_from(link) {
            let id = link.id.as_ref().map_or("without ID", |id| id.as_str());
            warnings.push(format!("left out link {id}: {problem}"));
        }
    }
    (desired, warnings)
}

/// Fails if one of the texts, given with their names, contains the key. In a file, it could not be
/// redacted: `[redacted]` would be sent back.
pub(crate) fn check_without_key<'a>(
    texts: impl IntoIterator<Item = (String, &'a str)>,
) -> Result<(), Failure> {
    let mut texts = texts.into_iter();
    let Some((name, _)) = texts.find(|(_, text)| redact_key(text) != *text) else {
        return Ok(());
    };
    let message = format!("{name} contains the API key, which is not written to files");
    Err(Failure::new(FailureKind::Other, message)
        .hint("replace the text with `profile set` or `profile link edit`, and then the key"))
}

/// Returns the texts of the editable fields.
pub(crate) fn fields(profile: &Profile) -> impl Iterator<Item = (String, &str)> {
    let fields = ProfileField::ALL.iter();
    fields.filter_map(|field| Some((field.to_string(), profile.get(*field)?)))
}

/// Returns the texts of the links.
pub(crate) fn links(profile: &Profile) -> impl Iterator<Item = (String, &str)> {
    profile.links.iter().flatten().flat_map(|link| {
        let id = link.id.as_ref().map_or("", |id| id.as_str());
        let texts = [
            ("id", Some(id)),
            ("title", link.title.as_deref()),
            ("url", link.url.as_deref()),
        ];
        texts.map(|(name, text)| (format!("links.{id}.{name}"), text.unwrap_or_default()))
    })
}

/// Returns a profile as TOML.
pub(crate) fn to_toml(profile: &DesiredProfile) -> String {
    let mut toml = String::from("# A profile; `profile apply FILE` applies it.\n");
    let line = |name: &str, text: &str| {
        let is_long = text.contains('\n');
        format!("{name} = {}\n", quoted(text, is_long))
    };
    if profile.links.as_ref().is_some_and(Vec::is_empty) {
        toml += "links = []\n";
    }
    if let Some(source) = &profile.source {
        toml += "\n[source]\n";
        if let Some(service) = &source.service {
            toml += &line("service", service);
        }
        toml += &line("handle", source.handle.as_str());
    }
    toml += "\n[profile]\n";
    for field in ProfileField::ALL {
        if let Some(text) = profile.profile.get(*field) {
            toml += &line(field.name(), text);
        }
    }
    for link in profile.links.iter().flatten() {
        toml += "\n[[links]]\n";
        if let Some(id) = &link.id {
            toml += &line("id", id.as_str());
        }
        toml += &line("title", &link.title);
        toml += &line("url", link.url.as_str());
    }
    toml
}

#[cfg(test)]
mod tests {
    use profile_sdk::plan::DesiredProfile;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use serde_json::json;

    use super::to_toml;
    use crate::profile_file::reading::parse;

    proptest! {
        #[test]
        fn a_written_file_is_read_as_it_was(
            bio in "[\\PC\\n\\t\"\\\\]{0,20}",
            titles in vec(any::<String>(), 0..3),
            has_links in any::<bool>(),
        ) {
            let link = |title| json!({"id": "1", "title": title, "url": "https://x/\u{e9} ?"});
            let links: Vec<_> = titles.iter().map(link).collect();
            let profile: DesiredProfile = serde_json::from_value(json!({
                "source": {"service": "https://s", "handle": "demo"},
                "profile": {"bio": bio.split('\n').take(10).collect::<Vec<_>>().join("\n")},
                "links": has_links.then_some(links),
            }))
            .expect("a profile");
            prop_assert_eq!(parse("a file", &to_toml(&profile)).expect("TOML"), profile.clone());
            let json = json!(profile).to_string();
            prop_assert_eq!(parse("a file", &json).expect("JSON"), profile);
        }
    }
}
