//! The changes that the command has made, or may have made, and the file to restore them from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use reqwest::Method;
use serde::Serialize;
use serde_json::{Map, Value};

use super::call::Call;
use super::observations::Observations;
use super::path_segment;

/// The fields of the profile that are edited.
pub(super) const EDITED: [&str; 3] = ["location", "bio", "accent_color"];

/// A kind of resource that the command creates: its name, the path of all, and the field with the mark.
pub(super) type Kind = (&'static str, &'static str, &'static str);

const KINDS: [Kind; 2] = [
    ("link", "/me/links", "title"),
    ("post", "/me/posts", "body"),
];

/// The changes that have to be undone.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    base_url: String,
    /// A part of the title of the link and of the body of the post.
    mark: String,
    /// The fields of the profile that are edited, with their values before.
    profile: Map<String, Value>,
    /// The paths of the created link and post by the path of all; `None` if no response has shown the id.
    created: BTreeMap<&'static str, Option<String>>,
    /// The paths of all where the service accepted a creation.
    #[serde(skip)]
    accepted: BTreeSet<&'static str>,
    #[serde(skip)]
    is_edited: bool,
    /// The path of the restore file.
    #[serde(skip)]
    pub(crate) path: PathBuf,
}

impl Changes {
    pub(crate) fn new(observations: &Observations, base_url: &str) -> Self {
        let mark = observations.name("mark").to_owned();
        let value = |name: &str| Some((name.to_owned(), observations.restorable(name)?.clone()));
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            profile: EDITED.into_iter().filter_map(value).collect(),
            created: BTreeMap::new(),
            accepted: BTreeSet::new(),
            is_edited: false,
            path: format!("restore-{mark}.json").into(),
            mark,
        }
    }

    /// Writes the restore file, which only its owner can read.
    pub(crate) fn save(&self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        file.write_all(serde_json::to_string_pretty(self)?.as_bytes())?;
        file.sync_all()
    }

    /// Records a write before it is sent, and returns the kind of resource that it creates.
    pub(super) fn will_send(&mut self, call: &Call) -> Option<Kind> {
        self.is_edited |= call.path == "/me/profile";
        let is_created = |(_, path, _): &Kind| call.method == Method::POST && call.path == *path;
        let kind = KINDS.into_iter().find(is_created)?;
        self.created.insert(kind.1, None);
        Some(kind)
    }

    /// Records the path of a created resource, also in the restore file.
    pub(super) fn has_created(&mut self, (_, all, _): Kind, path: String) {
        self.created.insert(all, Some(path));
        // The mark in the file is enough to find it.
        let _ = self.save();
    }

    /// Records that the service accepted a creation.
    pub(super) fn has_accepted(&mut self, (_, all, _): Kind) {
        self.accepted.insert(all);
    }

    pub(super) fn has_not_created(&mut self, (_, all, _): Kind) {
        self.created.remove(all);
    }

    pub(super) fn has_deleted(&mut self, path: &str) {
        self.created.retain(|all, created| match created {
            Some(created) => created != path,
            None => !path.starts_with(*all),
        });
    }

    pub(super) fn may_have_created(&self, all: &str) -> bool {
        self.created.contains_key(all)
    }

    /// Returns `true` if the data of `GET /me` lacks a resource that may exist: it may show an earlier
    /// state.
    pub(super) fn may_appear(&self, me: &Map<String, Value>) -> bool {
        let is_unseen = |kind: &Kind| self.created.get(kind.1) == Some(&None);
        let mut unseen = KINDS.into_iter().filter(is_unseen);
        unseen.any(|kind| {
            self.marked(kind, me)
                .is_some_and(|marked| marked.is_empty())
        })
    }

    /// Returns the paths of the marked resources in the data of `GET /me`; `None` if it does not show
    /// them.
    pub(super) fn marked(&self, kind: Kind, me: &Map<String, Value>) -> Option<Vec<String>> {
        let (_, path, field) = kind;
        let mut marked = me.get(path.trim_start_matches("/me/"))?.as_array()?.clone();
        marked.retain(|one| {
            one[field]
                .as_str()
                .is_some_and(|text| text.contains(&self.mark))
        });
        marked.iter().map(|one| path_of(kind, one)).collect()
    }

    /// Returns the requests that undo what is left, according to the data of `GET /me` if it is known.
    pub(super) fn left(&self, me: Option<&Map<String, Value>>) -> Vec<Call> {
        let mut left = Vec::new();
        for kind in KINDS {
            let listed = me.and_then(|me| self.marked(kind, me));
            let known = || Vec::from_iter(self.created.get(kind.1).cloned().flatten());
            let paths = listed.unwrap_or_else(known).into_iter();
            left.extend(paths.map(|path| Call::new(Method::DELETE, path)));
        }
        let mut fields = self.profile.clone();
        fields.retain(|name, before| me.is_none_or(|me| me.get(name) != Some(before)));
        if self.is_edited && !fields.is_empty() {
            left.push(Call::edit(Value::Object(fields)));
        }
        left
    }

    /// Describes what is left, and how to remove it.
    pub(crate) fn describe_left(&self, me: Option<&Map<String, Value>>) -> Vec<String> {
        let (url, mark) = (format!("{}/api/v1", self.base_url), &self.mark);
        let file = self.path.display();
        let curl = "curl -H \"Authorization: Bearer $PROFILE_API_KEY\"";
        let describe = |Call { method, path, .. }| match method {
            Method::DELETE => format!("{path}; delete it with {curl} -X DELETE '{url}{path}'"),
            _ => format!("{path}; send the object \"profile\" in {file} with PATCH {url}{path}"),
        };
        let mut lines: Vec<_> = self.left(me).into_iter().map(describe).collect();
        for kind @ (name, all, field) in KINDS {
            let is_listed = me.is_some_and(|me| self.marked(kind, me).is_some());
            let may_exist = !is_listed || self.accepted.contains(all);
            if self.created.get(all) == Some(&None) && may_exist {
                lines.push(format!(
                    "possibly a {name} whose {field} contains {mark}; no response showed its id, so \
                     delete it in the web interface of the service"
                ));
            }
        }
        lines
    }

    /// Describes the changes before they are made.
    pub(crate) fn describe(&self, observations: &Observations) -> String {
        let edits = self.profile.iter().map(|(name, value)| {
            format!("\n  {name} is edited several times and set back to {value}")
        });
        let warning = match observations.lists_resources() {
            true => "",
            false => {
                "\n  GET /me does not list links and posts; one whose id no response shows cannot be \
                 deleted"
            }
        };
        format!(
            "this changes the profile of the key's owner at {}:{}\n  one link and one post that \
             contain {} are created and deleted; others may see them until then{warning}\nThe current \
             values are saved in {}",
            self.base_url,
            edits.collect::<String>(),
            self.mark,
            self.path.display()
        )
    }
}

/// Returns the path of a resource, if it shows its id.
pub(super) fn path_of((_, path, _): Kind, resource: &Value) -> Option<String> {
    let id = match resource.get("id")? {
        // A URL cannot contain `.` and `..`.
        Value::String(id) if !matches!(id.as_str(), "" | "." | "..") => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    Some(format!("{path}/{}", path_segment(&id)))
}
