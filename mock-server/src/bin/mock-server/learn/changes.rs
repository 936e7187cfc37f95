//! The changes that the command has made, or may have made, and the file to restore them from.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use super::observations::Observations;
use super::path_segment;

/// A kind of resource that the command creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Link,
    Post,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Link, Self::Post];

    /// Returns the path of the collection, which ends with its name in `GET /me`.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Link => "/me/links",
            Self::Post => "/me/posts",
        }
    }

    /// Returns the path of a resource.
    pub(super) fn path_of(self, id: &str) -> String {
        format!("{}/{}", self.path(), path_segment(id))
    }

    /// Returns the field that contains the mark.
    pub(super) fn marked_field(self) -> &'static str {
        match self {
            Self::Link => "title",
            Self::Post => "body",
        }
    }

    fn list(self, me: &Map<String, Value>) -> Option<&Vec<Value>> {
        let name = self.path().trim_start_matches("/me/");
        me.get(name)?.as_array()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Post => "post",
        }
    }
}

/// A link or post that was created, or may have been created.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Created {
    kind: Kind,
    /// `None` if no response has shown it.
    id: Option<String>,
}

/// The changes that have to be undone.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    base_url: String,
    /// A part of the title of the link and of the body of the post.
    pub(super) mark: String,
    /// The fields of the profile that are edited, with their values before.
    pub(super) profile: Map<String, Value>,
    created: BTreeSet<Created>,
    #[serde(skip)]
    deleted: BTreeSet<String>,
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    is_edited: bool,
    /// `true` if the service accepted the values before.
    #[serde(skip)]
    is_restored: bool,
}

/// A step of undoing.
pub(super) enum Undo {
    Delete(Kind, String),
    Edit(Map<String, Value>),
}

impl Changes {
    pub(crate) fn new(observations: &Observations, base_url: &str, directory: &Path) -> Self {
        let mark = super::random_name();
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            profile: observations.restorable_fields(),
            created: BTreeSet::new(),
            deleted: BTreeSet::new(),
            path: directory.join(format!("restore-{mark}.json")),
            is_edited: false,
            is_restored: false,
            mark,
        }
    }

    /// Returns the path of the restore file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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

    pub(crate) fn remove_file(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }

    pub(super) fn will_edit(&mut self) {
        self.is_edited = true;
    }

    /// Records a creation before it is sent.
    pub(super) fn will_create(&mut self, kind: Kind) {
        self.created.insert(Created { kind, id: None });
    }

    /// Records the id of a created resource, also in the restore file.
    pub(super) fn has_created(&mut self, kind: Kind, id: &str) {
        self.created.remove(&Created { kind, id: None });
        let id = Some(id.to_owned());
        self.created.insert(Created { kind, id });
        // The mark in the file is enough to find it.
        let _ = self.save();
    }

    /// Records that a creation was rejected.
    pub(super) fn has_not_created(&mut self, kind: Kind) {
        self.created.remove(&Created { kind, id: None });
    }

    pub(super) fn has_deleted(&mut self, id: &str) {
        self.deleted.insert(id.to_owned());
    }

    pub(super) fn has_restored_profile(&mut self) {
        self.is_restored = true;
    }

    /// Returns the ids of the marked resources in the data of `GET /me`; `None` if it does not show
    /// them.
    pub(super) fn marked(&self, kind: Kind, me: &Map<String, Value>) -> Option<Vec<String>> {
        let is_marked = |one: &&Value| {
            let text = one.get(kind.marked_field()).and_then(Value::as_str);
            text.is_some_and(|text| text.contains(&self.mark))
        };
        kind.list(me)?.iter().filter(is_marked).map(id_of).collect()
    }

    /// Returns what is left to undo, according to the data of `GET /me` if it is known.
    pub(super) fn left(&self, me: Option<&Map<String, Value>>) -> Vec<Undo> {
        let mut left = Vec::new();
        for kind in Kind::ALL {
            let of_kind = self.created.iter().filter(|one| one.kind == kind);
            if of_kind.clone().count() == 0 {
                continue;
            }
            let known = of_kind.filter_map(|one| one.id.clone());
            let known = known.filter(|id| !self.deleted.contains(id)).collect();
            let listed = me.and_then(|me| self.marked(kind, me));
            let ids: Vec<_> = listed.unwrap_or(known);
            left.extend(ids.into_iter().map(|id| Undo::Delete(kind, id)));
        }
        let mut fields = self.profile.clone();
        fields.retain(|name, before| match me {
            Some(me) => self.is_edited && me.get(name) != Some(before),
            None => self.is_edited && !self.is_restored,
        });
        if !fields.is_empty() {
            left.push(Undo::Edit(fields));
        }
        left
    }

    /// Describes what is left, and how to remove it.
    pub(crate) fn describe_left(&self, me: Option<&Map<String, Value>>) -> Vec<String> {
        let curl = "curl -H \"Authorization: Bearer $PROFILE_API_KEY\"";
        let url = format!("{}/api/v1", self.base_url);
        let mut lines: Vec<_> = self
            .left(me)
            .into_iter()
            .map(|undo| match undo {
                Undo::Delete(kind, id) => {
                    let (name, path) = (kind.name(), kind.path_of(&id));
                    format!("the {name} {id}; delete it with {curl} -X DELETE '{url}{path}'")
                }
                Undo::Edit(fields) => {
                    let names: Vec<_> = fields.keys().map(String::as_str).collect();
                    let names = names.join(", ");
                    let path = self.path.display();
                    format!(
                        "{names} of the profile; send the object \"profile\" in {path} with PATCH \
                         {url}/me/profile"
                    )
                }
            })
            .collect();
        let is_uncertain = |one: &&Created| {
            let listed = me.and_then(|me| self.marked(one.kind, me));
            one.id.is_none() && listed.is_none()
        };
        for one in self.created.iter().filter(is_uncertain) {
            let (name, field) = (one.kind.name(), one.kind.marked_field());
            let mark = &self.mark;
            lines.push(format!(
                "possibly a {name} whose {field} contains {mark}; no response showed its id, so \
                 delete it in the web interface of the service"
            ));
        }
        lines
    }

    /// Describes the changes before they are made.
    pub(crate) fn describe(&self, observations: &Observations) -> String {
        let mut lines = vec![format!(
            "this changes the account of the key at {}:",
            self.base_url
        )];
        for (name, value) in &self.profile {
            lines.push(format!(
                "  {name} is edited several times and set back to {value}"
            ));
        }
        lines.push(format!(
            "  one link and one post that contain {} are created and deleted; others may see them \
             meanwhile",
            self.mark
        ));
        if !observations.lists_resources() {
            lines.push(
                "  GET /me does not list links and posts: if no response shows the id of a new \
                 one, it stays"
                    .to_owned(),
            );
        }
        lines.push(format!(
            "The values before are also written to {}",
            self.path.display()
        ));
        lines.join("\n")
    }
}

/// Returns the id of a resource as it appears in paths.
pub(super) fn id_of(resource: &Value) -> Option<String> {
    match resource.get("id")? {
        // A URL cannot carry `.` and `..`.
        Value::String(id) if !matches!(id.as_str(), "" | "." | "..") => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
