//! Deletion of links and posts.

use std::fmt::{self, Display};

use profile_sdk::{Call, Profile};
use serde_json::{Value, json};

use crate::outcome::batch;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::session::dry_run::{self, Change};
use crate::session::{Session, requests};
use crate::terminal::printable::quoted;
use crate::terminal::progress::Progress;

/// A deletion of several resources of one kind.
pub(crate) struct Deletion {
    pub(crate) noun: &'static str,
    pub(crate) dry_run: bool,
    /// Returns the resources of a profile, if it lists them.
    pub(crate) listed: fn(&Profile) -> Option<Vec<Item>>,
}

/// A resource with the names and values of its other fields, which are printed so that they can be
/// restored.
#[derive(Clone)]
pub(crate) struct Item {
    id: String,
    fields: Vec<(&'static str, String)>,
}

impl Deletion {
    /// Asks for confirmation and tries all IDs. Returns the worst failure, if any.
    pub(crate) fn run<Id: Display + PartialEq>(
        &self,
        ids: &[Id],
        session: &Session<'_>,
        delete: impl Fn(&Id) -> Call<()>,
    ) -> Result<Report, Failure> {
        let ids = batch::without_duplicates(ids);
        let calls: Vec<_> = ids.iter().map(|id| delete(id)).collect();
        if let Some(preview) = session.curl_preview(&calls)? {
            return Ok(preview);
        }
        let listed = self.read(session)?;
        let unknown = |id: String| match &listed {
            Some(_) if self.dry_run => {
                let message = format!("the profile has no {} {}", self.noun, quoted(&id));
                Err(Failure::new(FailureKind::NotFound, message))
            }
            _ => Ok(Item::new(&id, [])),
        };
        let items = ids.iter().map(|id| {
            let id = id.to_string();
            let known = listed.iter().flatten().find(|item| item.id == id);
            known.cloned().map_or_else(|| unknown(id), Ok)
        });
        let items = items.collect::<Result<Vec<_>, _>>()?;
        if self.dry_run {
            let change = |item: &Item| {
                Change::new(self.noun, item.fields_as_json(), Value::Null).id(&item.id)
            };
            let changes: Vec<_> = items.iter().map(change).collect();
            return Ok(dry_run::preview(&requests(&calls)?, &changes));
        }
        session.confirm(&question(self.noun, &items))?;
        let check_command = format!("profile {} list", self.noun);
        let mut progress = Progress::begin("deleting", ids.len(), session.output.is_quiet());
        let mut deleted = Vec::new();
        let mut failures = Vec::new();
        for (item, call) in items.into_iter().zip(calls) {
            let is_interrupted = |failure: &Failure| failure.kind == FailureKind::Interrupted;
            if failures.last().is_some_and(is_interrupted) {
                break;
            }
            let what = format!("{} {}", self.noun, quoted(&item.id));
            match session.write(call, &what, &check_command) {
                Ok(_) => deleted.push(item),
                Err(failure) if ids.len() == 1 => failures.push(Failure {
                    id: Some(item.id),
                    ..failure
                }),
                Err(failure) => failures.push(batch::item_failure(&what, item.id, failure)),
            }
            progress.advance();
        }
        drop(progress);
        let done = (!deleted.is_empty()).then(|| self.report(&deleted, ids.len() > 1));
        batch::outcome(done, failures)
    }

    /// Reads the resources. A deletion does not need them, so that its own error is reported.
    fn read(&self, session: &Session<'_>) -> Result<Option<Vec<Item>>, Failure> {
        match session.read(session.client()?.me()) {
            Ok(response) => Ok((self.listed)(response.data())),
            Err(failure) if self.dry_run || failure.kind == FailureKind::Interrupted => {
                Err(failure)
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns an object for one ID, or an array for several.
    fn report(&self, deleted: &[Item], several: bool) -> Report {
        let mut results = deleted.iter().map(Item::as_json);
        let json = if several {
            results.collect::<Value>()
        } else {
            results.next().unwrap_or_default()
        };
        let sentence = match deleted {
            [item] => format!("Deleted {} {item}.", self.noun),
            _ => format!("Deleted {}s {}.", self.noun, joined(deleted)),
        };
        Report::new(json, View::Sentence(sentence)).of_change()
    }
}

impl Item {
    pub(crate) fn new<const N: usize>(
        id: impl ToString,
        fields: [(&'static str, &Option<String>); N],
    ) -> Self {
        let fields = fields.into_iter();
        Self {
            id: id.to_string(),
            fields: fields
                .filter_map(|(name, value)| Some((name, value.clone()?)))
                .collect(),
        }
    }

    fn as_json(&self) -> Value {
        let mut json = self.fields_as_json();
        json["result"] = json!("deleted");
        json["id"] = json!(self.id);
        json
    }

    fn fields_as_json(&self) -> Value {
        let fields = self.fields.iter();
        let fields = fields.map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(fields.collect())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.id))?;
        let fields: Vec<_> = self.fields.iter().map(|(_, value)| quoted(value)).collect();
        match fields.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", fields.join(", ")),
        }
    }
}

fn question(noun: &str, items: &[Item]) -> String {
    match items {
        [item] => format!("Delete {noun} {item}?"),
        _ => format!("Delete {} {noun}s: {}?", items.len(), joined(items)),
    }
}

fn joined(items: &[Item]) -> String {
    let items: Vec<_> = items.iter().map(ToString::to_string).collect();
    items.join(", ")
}
