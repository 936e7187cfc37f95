//! The steps of a plan.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::Warning;
use super::desired_profile::{Grade, texts, texts_of};
use crate::request::{Operation, Request};
use crate::resources::{Link, NewLink, Profile, ProfileField, ProfileUpdate};
use crate::text::quoted_start;
use crate::values::{FieldKind, LinkId, as_json};

as_json! {
    /// One request of a [`Plan`](super::Plan). `Display` prints a line about it:
    ///
    /// ```text
    /// edit display name: "" to "Ada", bio: "Hi." to ""
    /// edit link link_1: "Blog" ("https://a.example") to "Blog" ("https://b.example")
    /// create link "Blog" ("https://a.example")
    /// delete link link_1: "Blog" ("https://a.example")
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum Step {
        /// Edits the fields that differ.
        #[non_exhaustive]
        EditProfile {
            /// The current values by the name of the field, as far as the profile has them.
            from: BTreeMap<String, String>,
            /// The new values.
            to: ProfileUpdate,
        },
        /// Edits a link.
        #[non_exhaustive]
        EditLink {
            /// The identifier of the link.
            id: LinkId,
            /// The current title and URL.
            from: Link,
            /// The new title and URL.
            to: NewLink,
        },
        /// Creates a link.
        #[non_exhaustive]
        CreateLink {
            /// The title and the URL.
            to: NewLink,
            /// The number of links with this title and URL that the profile has after this step: 1,
            /// unless the desired profile has several.
            #[serde(default = "one", skip_serializing_if = "is_one")]
            copies: usize,
        },
        /// Deletes a link.
        #[non_exhaustive]
        DeleteLink {
            /// The identifier of the link.
            id: LinkId,
            /// The current title and URL.
            from: Link,
        },
    },
    remote = "Step", tag = "step", rename_all = "snake_case"
}

impl Step {
    /// Returns the step that changes the fields of a profile, unless they are as desired.
    pub(super) fn for_fields(desired: &ProfileUpdate, current: &Profile) -> Option<Self> {
        let mut from = BTreeMap::new();
        let mut to = ProfileUpdate::new();
        for (field, text) in desired.texts() {
            if !has(current, field, text) {
                let current = current.get(field);
                from.extend(current.map(|text| (field.name().to_owned(), text.to_owned())));
                to.set(field, text).expect("the text of a valid value");
            }
        }
        (!to.is_empty()).then_some(Self::EditProfile { from, to })
    }

    /// Returns the request of the step.
    #[must_use]
    pub fn request(&self) -> Request {
        let of_link =
            |operation, id: &LinkId| Request::with_parameter(operation, "id", id.as_str());
        match self {
            Self::EditProfile { to, .. } => Request::new(Operation::UPDATE_PROFILE).json(to),
            Self::EditLink { id, to, .. } => of_link(Operation::UPDATE_LINK, id).json(to),
            Self::CreateLink { to, .. } => Request::new(Operation::CREATE_LINK).json(to),
            Self::DeleteLink { id, .. } => of_link(Operation::DELETE_LINK, id),
        }
    }

    /// Returns `true` if the step needs the list of links.
    pub(super) fn is_about_links(&self) -> bool {
        !matches!(self, Self::EditProfile { .. })
    }

    /// Returns `true` if the profile is as after this step.
    pub(super) fn is_done(&self, profile: &Profile) -> bool {
        match self {
            Self::EditProfile { to, .. } => {
                let mut texts = to.texts();
                texts.all(|(field, text)| has(profile, field, text))
            }
            Self::EditLink { id, to, .. } => {
                find(profile, id).is_some_and(|link| is_equal(link, to))
            }
            Self::CreateLink { to, copies } => {
                let links = profile.links.iter().flatten();
                links.filter(|link| is_equal(link, to)).count() >= *copies
            }
            Self::DeleteLink { id, .. } => profile.links.is_some() && find(profile, id).is_none(),
        }
    }

    /// Returns the link that this creation, whose response was lost, has certainly created: a similar
    /// one that the profile did not have before the steps that are done.
    pub(super) fn created<'a>(
        &self,
        profile: &'a Profile,
        before: &Profile,
        done: &[Self],
    ) -> Option<&'a Link> {
        let created_form = |step: &Self| match step {
            Self::CreateLink { to, .. } => Some(Grade::Similar.form(texts_of(to))),
            Self::EditProfile { .. } | Self::EditLink { .. } | Self::DeleteLink { .. } => None,
        };
        let form = created_form(self)?;
        let mut similar = profile.links().iter().filter(|link| {
            let id = link.id.as_ref();
            let is_new = id.is_some_and(|id| find(before, id).is_none());
            is_new && Grade::Similar.form(texts(link)) == form
        });
        let is_similar = |step: &&Self| created_form(step).as_ref() == Some(&form);
        similar.nth(done.iter().filter(is_similar).count())
    }

    /// Returns the texts of this step that a response shows in another form.
    pub(super) fn altered(&self, response: &str) -> Vec<Warning> {
        let read =
            |json| serde_json::from_slice::<BTreeMap<String, Value>>(json).unwrap_or_default();
        let (stored, request) = (read(response.as_bytes()), self.request());
        let id = stored.get("id").filter(|_| self.is_about_links());
        let altered = read(request.body().unwrap_or_default())
            .into_iter()
            .filter_map(|(field, sent)| {
                let (sent, stored) = (sent.as_str()?, stored.get(&field)?.as_str()?);
                let is_same = match field.parse().map(ProfileField::kind) {
                    Ok(FieldKind::Color) => sent.eq_ignore_ascii_case(stored),
                    _ if field == "url" => Grade::Parsed.is_same(["", sent], ["", stored]),
                    _ => sent == stored,
                };
                (!is_same).then(|| Warning::AlteredText {
                    link: id.and_then(|id| LinkId::deserialize(id).ok()),
                    sent: sent.to_owned(),
                    stored: stored.to_owned(),
                    field,
                })
            });
        altered.collect()
    }

    /// Returns `true` if the profile matches neither the state before nor the state after this step.
    pub(super) fn is_outdated(&self, profile: &Profile) -> bool {
        let is_as_before = match self {
            Self::EditProfile { from, to } => to.texts().all(|(field, _)| {
                let from = from.get(field.name()).map(String::as_str);
                profile.get(field) == from
            }),
            Self::EditLink { id, from, .. } | Self::DeleteLink { id, from } => find(profile, id)
                .is_some_and(|link| (&link.title, &link.url) == (&from.title, &from.url)),
            Self::CreateLink { .. } => true,
        };
        !is_as_before && !self.is_done(profile)
    }

    /// Returns a line about the step, with the verbs for edits, creations and deletions.
    fn line(&self, [edit, create, delete]: [&str; 3]) -> String {
        match self {
            Self::EditProfile { from, to } => {
                let changes = to.texts().map(|(field, to)| {
                    let from = from.get(field.name()).map_or("", String::as_str);
                    let [from, to] = [from, to].map(quoted_start);
                    format!("{}: {from} to {to}", field.description())
                });
                format!("{edit} {}", changes.collect::<Vec<_>>().join(", "))
            }
            Self::EditLink { id, from, to } => {
                let (from, to) = (shown(texts(from)), shown(texts_of(to)));
                format!("{edit} link {id}: {from} to {to}")
            }
            Self::CreateLink { to, .. } => format!("{create} link {}", shown(texts_of(to))),
            Self::DeleteLink { id, from } => format!("{delete} link {id}: {}", shown(texts(from))),
        }
    }

    /// Returns a line about the step after it is done, for example `created link …`.
    pub(super) fn in_past_tense(&self) -> String {
        self.line(["edited", "created", "deleted"])
    }
}

/// Returns `true` if a field of the profile has this value. An absent text is an empty one, and the
/// case of a color does not matter.
fn has(profile: &Profile, field: ProfileField, text: &str) -> bool {
    let current = profile.get(field).unwrap_or_default();
    match field.kind() {
        FieldKind::Color => current.eq_ignore_ascii_case(text),
        FieldKind::Text { .. } | FieldKind::MultilineText { .. } => current == text,
    }
}

/// Returns `true` if a link has the title and the URL of a new one.
pub(super) fn is_equal(link: &Link, to: &NewLink) -> bool {
    Grade::Parsed.is_same(texts(link), texts_of(to))
}

fn one() -> usize {
    1
}

fn is_one(copies: &usize) -> bool {
    *copies == one()
}

fn find<'a>(profile: &'a Profile, id: &LinkId) -> Option<&'a Link> {
    let mut links = profile.links.iter().flatten();
    links.find(|link| link.id.as_ref() == Some(id))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line(["edit", "create", "delete"]))
    }
}

/// Returns the texts of a link for people.
pub(super) fn shown([title, url]: [&str; 2]) -> String {
    format!("{} ({})", quoted_start(title), quoted_start(url))
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn the_documentation_shows_what_is_printed() {
        let steps: Vec<Step> = serde_json::from_str(
            r#"[
                {"step": "edit_profile", "from": {"bio": "Hi."}, "to": {"display_name": "Ada", "bio": ""}},
                {"step": "edit_link", "id": "link_1", "from": {"title": "Blog", "url": "https://a.example"},
                    "to": {"title": "Blog", "url": "https://b.example"}},
                {"step": "create_link", "to": {"title": "Blog", "url": "https://a.example"}},
                {"step": "delete_link", "id": "link_1", "from": {"title": "Blog", "url": "https://a.example"}}
            ]"#,
        )
        .unwrap();
        let lines = steps.iter().map(|step| format!("    /// {step}\n"));
        let lines = format!("```text\n{}    /// ```", lines.collect::<String>());
        assert!(include_str!("step.rs").contains(&lines), "{lines}");
        let created = format!("/// `{}`.\n", steps[2].in_past_tense());
        assert!(include_str!("apply.rs").contains(&created), "{created}");
    }
}
