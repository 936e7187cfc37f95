//! Deletion of links and posts.

use std::collections::HashSet;
use std::fmt::{self, Display};

use profile_sdk::{Call, Client, InvalidValue, Operation, Profile, internal::quoted};
use serde_json::{Map, Value, json};

use crate::commands::auth::permissions;
use crate::drawing::Change;
use crate::outcome::{self, Failure, FailureKind, NextCommand, Report, Result};
use crate::session::{Session, preview};

/// A deletion of several resources of one kind.
pub(crate) struct Deletion {
    pub(crate) noun: &'static str,
    pub(crate) operation: Operation,
    pub(crate) dry_run: bool,
    /// Returns the resources of a profile, if it lists them.
    pub(crate) listed: fn(&Profile) -> Option<Vec<Item>>,
    /// Returns the call that deletes a resource.
    pub(crate) call: fn(&Client, &str) -> Result<Call<()>, InvalidValue>,
}

/// A resource with the names and values of its other fields, which are printed so that they can be
/// restored.
#[derive(Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: String,
    fields: Map<String, Value>,
}

impl Deletion {
    /// Asks for confirmation and tries all IDs, for which unique titles may be given. Returns the worst
    /// failure, if any.
    pub(crate) fn run(&self, entered: &[String], session: &Session<'_>) -> Result<Report> {
        let client = session.client()?;
        let listed = self.read(session)?;
        let known = listed.as_deref().unwrap_or_default();
        let ids = entered.iter().map(|entered| id_of(entered, known));
        let mut ids = ids.collect::<Result<Vec<_>, _>>()?;
        let mut seen = HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        let calls = ids.iter().map(|id| (self.call)(client, id));
        let calls = calls.collect::<Result<Vec<_>, _>>()?;
        let items = ids.iter().map(|id| {
            let item = known.iter().find(|item| item.id == *id);
            item.cloned().unwrap_or_else(|| Item::new(id, []))
        });
        let asks = !session.settings.yes || self.dry_run;
        let asked = listed.as_ref().filter(|_| asks);
        // The question and the preview are only about resources that exist.
        let exists = |(item, _): &(Item, _)| asked.is_none_or(|listed| listed.contains(item));
        let (deletions, others): (Vec<_>, Vec<_>) = items.zip(calls).partition(exists);
        let failures = others.iter().map(|(Item { id, .. }, _)| Failure {
            id: Some(id.clone()),
            ..unlisted(self.noun, id)
        });
        let failures: Vec<_> = failures.collect();
        if self.dry_run {
            let (items, calls): (Vec<_>, Vec<_>) = deletions.into_iter().unzip();
            let changes: Vec<_> = items
                .iter()
                .map(|item| Change::new(self.noun, item.fields.clone(), Value::Null).id(&item.id))
                .collect();
            let requests = calls.iter().map(Call::request);
            let requests = requests.collect::<Result<Vec<_>, _>>()?;
            let preview = preview::dry_run(&requests, &changes);
            return outcome::of_batch(Some(preview).filter(|_| !items.is_empty()), failures);
        }
        if !deletions.is_empty() {
            for failure in &failures {
                session.output.status(&failure.text());
            }
            let items: Vec<_> = deletions.iter().map(|(item, _)| item.clone()).collect();
            session.confirm(&self.question(&items))?;
            if asked.is_some() {
                self.check_unchanged(&items, session)?;
            }
        }
        self.delete_all(deletions, failures, listed.as_deref(), session)
    }

    fn question(&self, items: &[Item]) -> String {
        let lines = items.iter().map(|item| format!("  {item}\n"));
        match items {
            [item] => format!("Delete {} {item}?", self.noun),
            _ => {
                let (lines, count) = (lines.collect::<String>(), items.len());
                format!("{lines}Delete these {count} {}s?", self.noun)
            }
        }
    }

    /// Fails if a resource has changed since the question.
    fn check_unchanged(&self, items: &[Item], session: &Session<'_>) -> Result<()> {
        let is_changed = |now: &Item| items.iter().any(|old| old.id == now.id && old != now);
        let message = match self.read(session)? {
            None => format!("the service does not list your {}s any more", self.noun),
            Some(now) => match now.iter().find(|now| is_changed(now)) {
                None => return Ok(()),
                Some(now) => {
                    let id = quoted(&now.id);
                    format!("{} {id} has changed meanwhile; it is now {now}", self.noun)
                }
            },
        };
        let hint = "nothing was deleted; run the command again";
        Err(Failure::new(FailureKind::Conflict, message).hint(hint))
    }

    /// Tries all deletions.
    fn delete_all(
        &self,
        deletions: Vec<(Item, Call<()>)>,
        mut failures: Vec<Failure>,
        listed: Option<&[Item]>,
        session: &Session<'_>,
    ) -> Result<Report> {
        let count = deletions.len() + failures.len();
        let check_command = format!("profile {} list", self.noun);
        let mut progress = session.progress("deleting", deletions.len());
        let mut deleted = Vec::new();
        for (item, call) in deletions {
            let what = format!("{} {}", self.noun, quoted(&item.id));
            let sent = session.write(call, &what, &check_command);
            let sent = sent.map_err(|failure| with_list_hint(self.noun, listed, failure));
            // The profile listed it, so the request whose response was lost has deleted it.
            let is_deleted = |failure: &Failure| {
                let is_not_found = failure.kind == FailureKind::NotFound;
                failure.is_unknown() && is_not_found && !item.fields.is_empty()
            };
            match sent.err().filter(|failure| !is_deleted(failure)) {
                None => deleted.push(item),
                Some(failure) => {
                    // The message of an item that was not found names it.
                    let is_subject = count > 1 && failure.kind != FailureKind::NotFound;
                    failures.push(Failure {
                        id: Some(item.id),
                        subject: is_subject.then_some(what),
                        ..failure
                    });
                }
            }
            progress.advance();
        }
        let done = (!deleted.is_empty()).then(|| self.report(&deleted, count > 1));
        outcome::of_batch(done, failures)
    }

    /// Reads the resources, if the profile lists them, and checks the scopes.
    fn read(&self, session: &Session<'_>) -> Result<Option<Vec<Item>>> {
        let without = format!("profile api -X DELETE me/{}s/ID", self.noun);
        let profile = read_items(session, &without)?;
        permissions::check(&profile, &self.operation)?;
        Ok((self.listed)(&profile))
    }

    /// Returns an object for one ID, or an array for several.
    fn report(&self, deleted: &[Item], several: bool) -> Report {
        let mut results = deleted.iter().map(Item::as_json);
        let json = match several {
            true => results.collect::<Value>(),
            false => results.next().unwrap_or_default(),
        };
        let items: Vec<_> = deleted.iter().map(ToString::to_string).collect();
        let plural = if items.len() == 1 { "" } else { "s" };
        let sentence = format!("Deleted {}{plural} {}.", self.noun, items.join(", "));
        Report::changed(json, sentence)
    }
}

impl Item {
    pub(crate) fn new<const N: usize>(
        id: impl ToString,
        fields: [(&str, &Option<String>); N],
    ) -> Self {
        let fields = fields.into_iter();
        let fields =
            fields.filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
        Self {
            id: id.to_string(),
            fields: fields.collect(),
        }
    }

    /// Returns the value of a field, if it has one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    fn as_json(&self) -> Value {
        let mut json = json!(self.fields);
        json["result"] = json!("deleted");
        json["id"] = json!(self.id);
        json
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.id))?;
        let fields = self.fields.values().filter_map(Value::as_str);
        let fields: Vec<_> = fields.map(quoted).collect();
        match fields.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", fields.join(", ")),
        }
    }
}

/// Returns the failure for a resource that the profile does not list.
pub(crate) fn unlisted(noun: &str, id: impl ToString) -> Failure {
    let message = format!("the profile has no {noun} {}", quoted(&id.to_string()));
    let failure = Failure::new(FailureKind::NotFound, message);
    with_list_hint(noun, Some(&[]), failure)
}

/// Reads the profile, without which a change could be about another item than the user means. The error names the
/// command that changes an item without this read.
pub(crate) fn read_items(session: &Session<'_>, without: &str) -> Result<Profile> {
    let response = session.read(session.client()?.me());
    let response = response.map_err(|mut failure| {
        let hint = format!("{} does not read the profile", NextCommand(without));
        let explained = [FailureKind::Unauthorized, FailureKind::Interrupted];
        if !explained.contains(&failure.kind) {
            failure.hints.push(hint);
        }
        failure
    })?;
    Ok(response.into_data())
}

/// Adds to the failure why the service does not find the resource: it is not among those that it lists, or the
/// service lists none, so that a title is sent as an ID.
pub(crate) fn with_list_hint(noun: &str, listed: Option<&[Item]>, mut failure: Failure) -> Failure {
    if failure.kind != FailureKind::NotFound || failure.is_unknown() {
        return failure;
    }
    if listed.is_none() {
        failure.message += &format!("; the service does not list your {noun}s, so only IDs work");
        return failure;
    }
    let list = NextCommand(format!("profile {noun} list"));
    failure.hint(format!("{list} shows the IDs"))
}

/// Returns the ID of an item that is named by its ID or by a title that no other item has, without white space
/// around it. An unknown text is an ID.
pub(crate) fn id_of(entered: &str, items: &[Item]) -> Result<String> {
    if items.iter().any(|item| item.id == entered) {
        return Ok(entered.to_owned());
    }
    let is_titled = |item: &&Item| item.get("title").map(str::trim) == Some(entered.trim());
    let titled = items.iter().filter(is_titled);
    let titled: Vec<_> = titled.map(|item| item.id.as_str()).collect();
    match titled[..] {
        [] => Ok(entered.to_owned()),
        [id] => Ok(id.to_owned()),
        _ => {
            let message = format!("several links have the title {}", quoted(entered));
            Err(Failure::usage(message).hint(format!("pass an ID: {}", titled.join(", "))))
        }
    }
}
