//! The state of the service that follows from the reported outcomes.

use std::collections::BTreeMap;

use profile_sdk::ProfileField;

use super::operation::Operation;
use super::random::Random;

/// The outcome of a write that a client reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    NotDone,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Link,
    Post,
}

/// The state of the profile that is read.
pub(super) struct ObservedState {
    pub(super) fields: BTreeMap<ProfileField, String>,
    pub(super) links: Vec<String>,
    pub(super) posts: Vec<String>,
}

/// The values that each field and item may have.
#[derive(Default)]
pub(super) struct ExpectedState {
    /// Without the fields that were never edited with success.
    fields: BTreeMap<ProfileField, Vec<String>>,
    entries: Vec<Entry>,
}

/// A link or post that was created, or may have been.
struct Entry {
    kind: Kind,
    id: Option<String>,
    presence: Presence,
    texts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Present,
    Uncertain,
    Absent,
}

impl ExpectedState {
    /// Returns the ID of a random item that may exist.
    pub(super) fn random_id(&self, kind: Kind, random: &mut Random) -> Option<String> {
        let ids: Vec<_> = (self.entries.iter())
            .filter(|entry| entry.kind == kind && entry.presence != Presence::Absent)
            .filter_map(|entry| entry.id.as_ref())
            .collect();
        (!ids.is_empty()).then(|| ids[random.below(ids.len())].clone())
    }

    /// Returns `true` if the item of the operation exists for certain.
    pub(super) fn is_possible(&self, operation: &Operation) -> bool {
        let (Operation::Rename { id, .. } | Operation::Delete { id, .. }) = operation else {
            return true;
        };
        let exists =
            |entry: &Entry| entry.id.as_ref() == Some(id) && entry.presence == Presence::Present;
        self.entries.iter().any(exists)
    }

    /// Records the outcome of an operation.
    pub(super) fn record(
        &mut self,
        operation: Operation,
        outcome: Outcome,
        new_id: Option<String>,
    ) {
        match operation {
            Operation::Create { kind, text } => self.entries.push(Entry {
                kind,
                id: new_id,
                presence: match outcome {
                    Outcome::Done => Presence::Present,
                    Outcome::NotDone => Presence::Absent,
                    Outcome::Unknown => Presence::Uncertain,
                },
                texts: vec![text],
            }),
            Operation::Rename { id, title } => self.entry(&id).rename(title, outcome),
            Operation::Delete { id, .. } => self.entry(&id).delete(outcome),
            Operation::Edit { field, value } => match (self.fields.get_mut(&field), outcome) {
                (_, Outcome::Done) => drop(self.fields.insert(field, vec![value])),
                (Some(values), Outcome::Unknown) => values.push(value),
                (None, Outcome::Unknown) | (_, Outcome::NotDone) => {}
            },
            Operation::Read => {}
        }
    }

    fn entry(&mut self, id: &str) -> &mut Entry {
        let mut entries = self.entries.iter_mut();
        let found = entries.find(|entry| entry.id.as_deref() == Some(id));
        found.expect("drawn from the entries")
    }

    /// Checks an observed state.
    pub(super) fn check(&self, seen: &ObservedState) -> Result<(), String> {
        for (field, value) in &seen.fields {
            if let Some(values) = self.fields.get(field)
                && !values.contains(value)
            {
                return Err(format!("{field} is {value:?}; expected one of {values:?}"));
            }
        }
        self.check_kind(Kind::Link, &seen.links)?;
        self.check_kind(Kind::Post, &seen.posts)
    }

    fn check_kind(&self, kind: Kind, seen: &[String]) -> Result<(), String> {
        let of_kind = || self.entries.iter().filter(|entry| entry.kind == kind);
        for entry in of_kind() {
            let times = seen
                .iter()
                .filter(|text| entry.texts.contains(text))
                .count();
            let fits = match entry.presence {
                Presence::Present => times == 1,
                Presence::Uncertain => times <= 1,
                Presence::Absent => times == 0,
            };
            if !fits {
                let (presence, texts) = (entry.presence, &entry.texts);
                return Err(format!(
                    "found {kind:?} {texts:?} {times} times; expected: {presence:?}"
                ));
            }
        }
        let unknown = |text: &&String| !of_kind().any(|entry| entry.texts.contains(text));
        match seen.iter().find(unknown) {
            Some(text) => Err(format!("unexpected {kind:?} {text:?}")),
            None => Ok(()),
        }
    }
}

impl Entry {
    fn rename(&mut self, title: String, outcome: Outcome) {
        match outcome {
            Outcome::Done => {
                self.texts = vec![title];
                self.presence = Presence::Present;
            }
            Outcome::Unknown => self.texts.push(title),
            Outcome::NotDone => {}
        }
    }

    fn delete(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => self.presence = Presence::Absent,
            Outcome::Unknown => self.presence = Presence::Uncertain,
            Outcome::NotDone => {}
        }
    }
}
