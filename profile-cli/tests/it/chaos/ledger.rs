//! What the clients were told, and what follows for the service's state.

use super::deed::{Deed, FIELDS};
use super::dice::Dice;

/// What a client tells of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Done,
    NotDone,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Link,
    Post,
}

/// What somebody who looks at the profile sees.
pub(super) struct Seen {
    pub(super) fields: Vec<String>,
    pub(super) links: Vec<String>,
    pub(super) posts: Vec<String>,
}

/// The values that each thing may have, by what the clients were told.
pub(super) struct Ledger {
    /// None for a field that nobody has edited for sure.
    fields: [Option<Vec<String>>; FIELDS.len()],
    entries: Vec<Entry>,
}

/// A link or a post that was created, or may have been.
struct Entry {
    kind: Kind,
    id: Option<String>,
    presence: Presence,
    texts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    There,
    Perhaps,
    Gone,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            fields: [const { None }; FIELDS.len()],
            entries: Vec::new(),
        }
    }

    /// The identifier of something that is there, or may be.
    pub(super) fn any_id(&self, kind: Kind, dice: &mut Dice) -> Option<String> {
        let ids: Vec<_> = (self.entries.iter())
            .filter(|entry| entry.kind == kind && entry.presence != Presence::Gone)
            .filter_map(|entry| entry.id.as_ref())
            .collect();
        (!ids.is_empty()).then(|| ids[dice.below(ids.len())].clone())
    }

    /// Whether the deed is about something that is there for sure.
    pub(super) fn is_possible(&self, deed: &Deed) -> bool {
        let (Deed::Rename { id, .. } | Deed::Delete { id, .. }) = deed else {
            return true;
        };
        let is_there =
            |entry: &Entry| entry.id.as_ref() == Some(id) && entry.presence == Presence::There;
        self.entries.iter().any(is_there)
    }

    /// Writes down what was told of a deed.
    pub(super) fn enter(&mut self, deed: Deed, told: Told, new_id: Option<String>) {
        match deed {
            Deed::Create { kind, text } => self.entries.push(Entry {
                kind,
                id: new_id,
                presence: match told {
                    Told::Done => Presence::There,
                    Told::NotDone => Presence::Gone,
                    Told::Unknown => Presence::Perhaps,
                },
                texts: vec![text],
            }),
            Deed::Rename { id, title } => self.entry(&id).renamed(title, told),
            Deed::Delete { id, .. } => self.entry(&id).deleted(told),
            Deed::Edit { field, value } => match (&mut self.fields[field], told) {
                (known, Told::Done) => *known = Some(vec![value]),
                (Some(values), Told::Unknown) => values.push(value),
                (None, Told::Unknown) | (_, Told::NotDone) => {}
            },
            Deed::Look => {}
        }
    }

    fn entry(&mut self, id: &str) -> &mut Entry {
        let is_it = |entry: &&mut Entry| entry.id.as_deref() == Some(id);
        self.entries
            .iter_mut()
            .find(is_it)
            .expect("it was drawn from here")
    }

    /// Says what is seen and was told otherwise.
    pub(super) fn check(&self, seen: &Seen) -> Result<(), String> {
        for (index, value) in seen.fields.iter().enumerate() {
            if let Some(values) = &self.fields[index]
                && !values.contains(value)
            {
                let field = FIELDS[index];
                return Err(format!("{field} is {value:?}; told were {values:?}"));
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
                Presence::There => times == 1,
                Presence::Perhaps => times <= 1,
                Presence::Gone => times == 0,
            };
            if !fits {
                let (presence, texts) = (entry.presence, &entry.texts);
                return Err(format!(
                    "{kind:?} {texts:?} is there {times} times; told: {presence:?}"
                ));
            }
        }
        let unknown = |text: &&String| !of_kind().any(|entry| entry.texts.contains(text));
        match seen.iter().find(unknown) {
            Some(text) => Err(format!(
                "{kind:?} {text:?} is there, and nobody may have it"
            )),
            None => Ok(()),
        }
    }
}

impl Entry {
    fn renamed(&mut self, title: String, told: Told) {
        match told {
            Told::Done => {
                self.texts = vec![title];
                self.presence = Presence::There;
            }
            Told::Unknown => self.texts.push(title),
            Told::NotDone => {}
        }
    }

    fn deleted(&mut self, told: Told) {
        match told {
            Told::Done => self.presence = Presence::Gone,
            Told::Unknown => self.presence = Presence::Perhaps,
            Told::NotDone => {}
        }
    }
}
