//! Deletion of links and posts.

use std::fmt::Display;

use profile_sdk::Call;
use serde_json::{Value, json};

use crate::commands::batch;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::dry_run::{self, Change};
use crate::session::{Session, requests};
use crate::terminal::printable::quoted;
use crate::terminal::progress::Progress;

/// A deletion of several resources of one kind.
pub(crate) struct Deletion {
    pub(crate) noun: &'static str,
    pub(crate) dry_run: bool,
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
        if self.dry_run {
            return self.preview(&ids, &calls);
        }
        session.confirm(&question(self.noun, &ids))?;
        let check_command = format!("profile {} list", self.noun);
        let mut progress = Progress::begin("deleting", ids.len(), session.output.is_quiet());
        let mut deleted = Vec::new();
        let mut failures = Vec::new();
        for (&id, call) in ids.iter().zip(calls) {
            let what = format!("{} {}", self.noun, quoted(id));
            match session.write(call, &what, &check_command) {
                Ok(_) => deleted.push(id),
                Err(failure) if ids.len() == 1 => failures.push(Failure {
                    id: Some(id.to_string()),
                    ..failure
                }),
                Err(failure) => failures.push(batch::item_failure(&what, id, failure)),
            }
            progress.advance();
        }
        drop(progress);
        let done = (!deleted.is_empty()).then(|| self.report(&deleted, ids.len() > 1));
        batch::outcome(done, failures)
    }

    fn preview(&self, ids: &[impl Display], calls: &[Call<()>]) -> Result<Report, Failure> {
        let change = |id| Change::new(self.noun, Some(quoted(id)), None);
        let changes: Vec<_> = ids.iter().map(change).collect();
        Ok(dry_run::preview(&requests(calls)?, &changes))
    }

    /// Returns an object for one ID, or an array for several.
    fn report(&self, deleted: &[impl Display], several: bool) -> Report {
        let result = |id: &dyn Display| json!({"result": "deleted", "id": id.to_string()});
        let mut results = deleted.iter().map(|id| result(id));
        let json = if several {
            results.collect::<Value>()
        } else {
            results.next().unwrap_or_default()
        };
        let sentence = match deleted {
            [id] => format!("Deleted {} {}.", self.noun, quoted(id)),
            _ => format!("Deleted {}s {}.", self.noun, joined(deleted)),
        };
        Report::new(json, View::Sentence(sentence)).of_change()
    }
}

fn question(noun: &str, ids: &[impl Display]) -> String {
    match ids {
        [id] => format!("Delete {noun} {}?", quoted(id)),
        _ => format!("Delete {} {noun}s: {}?", ids.len(), joined(ids)),
    }
}

fn joined(ids: &[impl Display]) -> String {
    let ids: Vec<_> = ids.iter().map(quoted).collect();
    ids.join(", ")
}
