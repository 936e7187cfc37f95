//! The settings that consist of observed values, as far as they differ from what the mock does, and those
//! that recorded webhook deliveries show.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::learner::{Finding, Found, Learner};
use crate::observations::{Delivery, decode};
use crate::requests::Step;
use crate::response::{Answer, Sample, map_members, without_texts};

/// Returns the statuses of successful writes.
pub(crate) fn write_statuses(learner: &Learner<'_>) -> Found {
    const WRITES: [(&str, Step); 6] = [
        ("edited", Step::EditProfile),
        ("edited", Step::EditLink),
        ("created", Step::CreateLink),
        ("created", Step::CreatePost),
        ("deleted", Step::DeleteLink),
        ("deleted", Step::DeletePost),
    ];
    let answers = learner.answers(&WRITES.map(|(_, step)| step));
    let (mut found, mut different, mut sample) = (Map::new(), Map::new(), None);
    for (kind, step) in WRITES {
        let answer = learner.all.answer(step).ok();
        let (Some(written), Some(mock)) = (answer, answers.get(&step)) else {
            continue;
        };
        if !written.is_success() || found.contains_key(kind) {
            continue;
        }
        found.insert(kind.to_owned(), written.status.into());
        if written.status != mock.status {
            different.insert(kind.to_owned(), written.status.into());
        }
        if kind != "deleted" {
            sample.get_or_insert(written);
        }
    }
    match sample {
        Some(written) => Ok(Finding::values(different, written.sample(found))),
        // A deletion does not show the responses to other writes.
        None => Err(learner.reason(&[Step::EditProfile], "")),
    }
}

/// Returns the names of headers that have no setting of their own.
pub(crate) fn rate_limit_header_names(learner: &Learner<'_>) -> Found {
    let me = learner.all.me()?;
    let names = me.rate_limit_headers();
    if names.is_empty() {
        return Err("GET /me has no separate headers about the rate limit".to_owned());
    }
    let same = learner.answers(&[Step::Me])[&Step::Me].rate_limit_headers();
    let sample = me.sample(json!(names));
    let names = names.iter().filter(|_| names != same);
    let names = names.map(|(part, name)| ((*part).to_owned(), json!(name)));
    Ok(Finding::values(names.collect(), sample))
}

/// Observes a header of the first compressed response. Short ones may not be compressed.
pub(crate) fn compression(learner: &Learner<'_>) -> Found {
    let coding = |answer: &Answer| answer.header("content-encoding").map(str::to_owned);
    let mut answers = learner.all.answers().map(|(_, answer)| answer);
    let compressed = answers.find(|answer| coding(answer).is_some());
    let answer = compressed.map_or_else(|| learner.all.me(), Ok)?;
    let coding = coding(answer);
    let sample = answer.sample(json!({ "content-encoding": coding }));
    let value = match coding.as_deref() {
        None => json!("none"),
        Some("gzip") => json!("gzip"),
        Some(_) => return Ok(Finding::Outside { sample }),
    };
    Ok(Finding::Learned { value, sample })
}

/// The objects in responses: the name in `extra_fields`, the requests and the pointers in `data`. The
/// place `me` has what an edit of the profile does not show.
#[rustfmt::skip]
const PLACES: &[(&str, &[(Step, &str)])] = &[
    ("profile", &[(Step::EditProfile, "")]),
    ("me", &[(Step::Me, "")]),
    ("key", &[(Step::Me, "/key")]),
    ("badge", &[(Step::Badges, ""), (Step::Me, "/badges")]),
    ("statistics", &[(Step::Own1, ""), (Step::Other1, "")]),
    ("analytics", &[(Step::Analytics, "")]),
    ("site", &[(Step::Site, "")]),
    ("link", &[(Step::CreateLink, ""), (Step::EditLink, ""), (Step::MeWithLink, "/links"), (Step::Me, "/links")]),
    ("post", &[(Step::CreatePost, ""), (Step::MeWithPost, "/posts"), (Step::Me, "/posts")]),
];

/// Returns the fields of responses that the mock does not have, with shortened values.
pub(crate) fn extra_fields(learner: &Learner<'_>) -> Found {
    let me = learner.all.me()?;
    let answers = learner.answers(Step::ALL);
    let mut found: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for &(place, pointers) in PLACES {
        for (step, pointer) in pointers {
            let (Ok(service), Some(mock)) = (learner.all.answer(*step), answers.get(step)) else {
                continue;
            };
            let known = objects(mock, pointer);
            let fields = objects(service, pointer).into_iter().flatten();
            for (name, value) in fields {
                let is_known = known.iter().any(|object| object.contains_key(name));
                if !is_known && !known.is_empty() {
                    let fields = found.entry(place).or_default();
                    fields
                        .entry(name.clone())
                        .or_insert_with(|| shortened(value));
                }
            }
        }
    }
    let profile = found.get("profile").cloned().unwrap_or_default();
    if let Some(me) = found.get_mut("me") {
        me.retain(|name, _| !profile.contains_key(name));
    }
    if let Some(key) = found.get_mut("key") {
        // The texts may be secret.
        key.values_mut()
            .for_each(|value| *value = without_texts(value));
    }
    found.retain(|_, fields| !fields.is_empty());
    let names = found
        .iter()
        .map(|(place, fields)| ((*place).to_owned(), fields.keys().cloned().collect()));
    let sample = me.sample(names.collect::<Map<_, _>>());
    let found = found
        .into_iter()
        .map(|(place, fields)| (place.to_owned(), fields.into()));
    Ok(Finding::values(found.collect(), sample))
}

/// Returns an object, or the objects in an array. An empty object is the response to a write.
fn objects<'a>(answer: &'a Answer, pointer: &str) -> Vec<&'a Map<String, Value>> {
    let objects = match answer.at(pointer) {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_object).collect(),
        Some(Value::Object(object)) => vec![object],
        _ => Vec::new(),
    };
    objects
        .into_iter()
        .filter(|object| !object.is_empty())
        .collect()
}

/// Shortens texts and arrays, without changing the shape.
fn shortened(value: &Value) -> Value {
    const MAX_CHARACTERS: usize = 200;
    match value {
        Value::String(text) => text.chars().take(MAX_CHARACTERS).collect::<String>().into(),
        Value::Array(all) => all.iter().take(1).map(shortened).collect(),
        _ => map_members(value, shortened),
    }
}

/// Returns the value that all deliveries show, or the first that shows another one.
fn find(learner: &Learner<'_>, observe: fn(&Delivery) -> (Option<&str>, Sample)) -> Found {
    let mut observed = learner.all.deliveries.iter().map(observe);
    let (value, sample) = observed.next().ok_or("needs --delivery")?;
    let other = observed.find(|(other, _)| *other != value);
    match (value, other) {
        (Some(value), None) => Ok(Finding::Learned {
            value: json!(value),
            sample,
        }),
        (_, other) => Ok(Finding::Outside {
            sample: other.map_or(sample, |(_, sample)| sample),
        }),
    }
}

pub(crate) fn encoding(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let signature = delivery.header("x-service-signature");
        let encoding = signature.and_then(decode).map(|(encoding, _)| encoding);
        // No dialect has upper-case hex digits.
        let encoding = encoding.filter(|encoding| *encoding != "upper_hex");
        let sample = delivery.sample(json!({ "x-service-signature": signature }));
        (encoding, sample)
    })
}

pub(crate) fn payload(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let Ok(body) = serde_json::from_slice::<Value>(&delivery.body) else {
            return (Some("not_json"), delivery.sample("not JSON"));
        };
        let is_envelope = body["type"].as_str() == delivery.header("x-service-event")
            && body["created_at"].is_string()
            && body.get("data").is_some();
        let kind = if is_envelope { "envelope" } else { "bare" };
        (Some(kind), delivery.sample(without_texts(&body)))
    })
}
