//! The comparison of the profile before and after the writes.

use std::collections::BTreeMap;

use mock_server::ProfileField;
use serde_json::Value;

use super::answer::{Answer, pick, without_texts};
use super::observations::Observations;
use super::resource::{KINDS, id};

/// The differences between two responses to `GET /me`, except for what the command created.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The differences of editable fields, and of links and posts.
    pub(crate) content: Vec<String>,
    /// Other differences, such as those of counters.
    pub(crate) others: Vec<String>,
}

impl Changes {
    /// Compares the first response with a later one.
    ///
    /// # Errors
    ///
    /// Returns the reason if one of the two does not show the profile.
    pub(super) fn new(observations: &Observations, after: &Answer) -> Result<Self, String> {
        let before = observations.me()?;
        let mark = &observations.names.mark;
        let [before, after] = [before, after].map(|me| Facts::new(me, mark));
        let (before, after) = (before?, after?);
        let others = different(&before.others, &after.others);
        Ok(Self {
            content: different(&before.content, &after.content),
            others,
        })
    }
}

/// The parts of a profile by their names.
struct Facts {
    content: BTreeMap<String, Value>,
    others: BTreeMap<String, Value>,
}

impl Facts {
    fn new(me: &Answer, mark: &str) -> Result<Self, String> {
        let data = me.at("").and_then(Value::as_object);
        let mut others: BTreeMap<_, _> = data
            .ok_or_else(|| me.unexpected())?
            .clone()
            .into_iter()
            .collect();
        let mut content = BTreeMap::new();
        for field in ProfileField::ALL {
            content.extend(others.remove_entry(field.name()));
        }
        for kind in KINDS {
            let Some(listed) = kind.listed(me) else {
                continue;
            };
            others.remove(kind.list.trim_start_matches('/'));
            for one in listed.iter().filter(|one| !kind.has_mark(one, mark)) {
                let name = format!("{} {}", kind.name, id(one).unwrap_or_default());
                let mut rest = one.clone();
                let texts = pick(one, &["title", "url", "body"]).unwrap_or_default();
                if let Some(rest) = rest.as_object_mut() {
                    rest.retain(|name, _| !texts.contains_key(name));
                }
                content.insert(name.clone(), texts.into());
                others.insert(name, rest);
            }
        }
        if let Some(key) = others.get_mut("key") {
            *key = without_texts(key);
        }
        Ok(Self { content, others })
    }
}

fn different(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<String> {
    let all: BTreeMap<_, _> = before.iter().chain(after).collect();
    let shown = |value: Option<&Value>| value.map_or("missing".to_owned(), Value::to_string);
    let names = all
        .keys()
        .filter(|name| before.get(**name) != after.get(**name));
    let line = |name: &&&String| {
        let [before, after] = [before, after].map(|facts| shown(facts.get(**name)));
        format!("{name} was {before} and is now {after}")
    };
    names.map(|name| line(&name)).collect()
}
