//! Writes a profile as a file.

use profile_sdk::{FieldKind, Link, LinkUrl, NewLink, Profile, ProfileField, ProfileUpdate};

use serde_json::{Value, json};

use super::toml_text::quoted;
use super::{FileLink, Owner, ProfileFile};

impl ProfileFile {
    /// Creates the file of a profile, with a warning for each value that the specification does not
    /// allow and that is therefore left out.
    pub(crate) fn of(profile: &Profile, service: &str) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let mut fields = ProfileUpdate::new();
        for field in ProfileField::ALL {
            let value = profile.get(*field);
            // A color cannot be cleared.
            let value = value.filter(|value| !value.is_empty() || field.kind() != FieldKind::Color);
            if let Some(value) = value
                && let Err(problem) = fields.set(*field, value)
            {
                warnings.push(format!("left out {field}: {problem}"));
            }
        }
        let links = profile.links.as_ref().map(|links| {
            let links = links.iter().filter_map(|link| {
                let written = file_link(link);
                written.map_err(|warning| warnings.push(warning)).ok()
            });
            links.collect()
        });
        let file = Self {
            source: Some(Owner::of(profile, service)),
            fields,
            links,
        };
        (file, warnings)
    }

    /// Returns the file as TOML.
    pub(crate) fn to_toml(&self) -> String {
        let mut toml = String::from("# A profile; `profile apply FILE` applies it.\n");
        let line = |name: &str, text: &str| {
            let is_long = text.contains('\n');
            format!("{name} = {}\n", quoted(text, is_long))
        };
        if self.links.as_ref().is_some_and(Vec::is_empty) {
            toml += "links = []\n";
        }
        if let Some(source) = &self.source {
            toml += "\n[source]\n";
            toml += &line("service", &source.service);
            if let Some(handle) = &source.handle {
                toml += &line("handle", handle);
            }
        }
        toml += "\n[profile]\n";
        for field in ProfileField::ALL {
            if let Some(text) = self.fields.get(*field) {
                toml += &line(field.name(), text);
            }
        }
        for FileLink { id, link } in self.links.iter().flatten() {
            toml += "\n[[links]]\n";
            if let Some(id) = id {
                toml += &line("id", id.as_str());
            }
            toml += &line("title", &link.title);
            toml += &line("url", link.url.as_str());
        }
        toml
    }
}

impl ProfileFile {
    /// Returns the file as JSON, in the structure of the TOML.
    pub(crate) fn to_json(&self) -> Value {
        let link = |link: &FileLink| {
            let NewLink { title, url, .. } = &link.link;
            json!({"id": link.id, "title": title, "url": url})
        };
        let source = self.source.as_ref();
        json!({
            "source": source.map(|source| json!({"service": source.service, "handle": source.handle})),
            "profile": self.fields,
            "links": self.links.as_ref().map(|links| links.iter().map(link).collect::<Value>()),
        })
    }
}

impl Owner {
    pub(crate) fn of(profile: &Profile, service: &str) -> Self {
        Self {
            service: service.to_owned(),
            handle: profile.handle.as_ref().map(ToString::to_string),
        }
    }
}

fn file_link(link: &Link) -> Result<FileLink, String> {
    let id = link.id.as_ref().map_or("without ID", |id| id.as_str());
    let left_out =
        |reason: &str| format!("left out link {id}, which `apply --prune` would delete: {reason}");
    let title = link
        .title
        .clone()
        .ok_or_else(|| left_out("it has no title"))?;
    let url = link
        .url
        .as_deref()
        .ok_or_else(|| left_out("it has no url"))?;
    let url = LinkUrl::new(url).map_err(|error| left_out(&error.to_string()))?;
    Ok(FileLink {
        id: link.id.clone(),
        link: NewLink::new(title, url),
    })
}
