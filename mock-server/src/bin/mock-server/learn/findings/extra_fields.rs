//! Fields of responses that neither the specification nor the mock has.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::reads::resources;
use crate::learn::answer::without_texts;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::Observations;
use crate::learn::requests::Step;
use crate::learn::shape::Shape::Fields;
use crate::learn::shape::{
    ANALYTICS, BADGE, CREATED_AT, Field, KEY, KEY_OWNER, ME, METADATA, PROFILE, PUBLIC, RESOURCE,
    SITE, STATISTICS, extra,
};

/// The objects in responses, with the fields that the mock has.
const PLACES: [(&str, Step, &str, &[&[Field]]); 7] = [
    ("me", Step::Me, "", &[PROFILE, PUBLIC, ME]),
    ("profile", Step::Location, "", &[PROFILE, PUBLIC, ME]),
    ("key", Step::Me, "/key", &[KEY]),
    ("badge", Step::Badges, "/0", &[BADGE]),
    ("statistics", Step::Own1, "", &[STATISTICS]),
    ("analytics", Step::Analytics, "", &[ANALYTICS]),
    ("site", Step::Site, "", &[SITE]),
];

pub(crate) fn extra_fields(all: &Observations) -> Found {
    let resources = resources(all).unwrap_or_default();
    let place = |(name, step, pointer, known): (_, _, _, &[_])| {
        let object = all.answer(step).and_then(|answer| answer.at(pointer));
        Some((name, fields(name, object.ok()?, known)))
    };
    let resource = |(name, field)| {
        let same = resources
            .iter()
            .rev()
            .filter(|(_, one)| one.get(field).is_some());
        // The response to a creation may have fields that a list does not have.
        let fields = same.flat_map(|(_, one)| fields(name, one, &[RESOURCE]));
        (name, fields.collect())
    };
    let places = PLACES.into_iter().filter_map(place);
    let others = [("link", "title"), ("post", "body")];
    let others = others.into_iter().map(resource);
    let mut found: BTreeMap<_, _> = places.chain(others).collect();
    let profile = found.get("profile").cloned().unwrap_or_default();
    if let Some(me) = found.get_mut("me") {
        me.retain(|name, _| !profile.contains_key(name));
    }
    found.retain(|_, fields| !fields.is_empty());
    if let Some(key) = found.get_mut("key") {
        // The texts may be secret.
        key.values_mut()
            .for_each(|value| *value = without_texts(value));
    }
    let names = found
        .iter()
        .map(|(place, fields)| (*place, Vec::from_iter(fields.keys())));
    let names = BTreeMap::from_iter(names);
    let sample = all.answer(Step::Me)?.sample(json!(names));
    let found = found
        .into_iter()
        .map(|(place, fields)| (place.to_owned(), fields.into()));
    Ok(Finding::values(found.collect(), sample))
}

/// Returns the fields of an object that the mock does not have, with shortened values.
fn fields(place: &str, object: &Value, known: &[&'static [Field]]) -> Map<String, Value> {
    const MAX_CHARACTERS: usize = 200;
    // Fields that the mock has in some dialects, all of them or none.
    let optional: &[&[Field]] = match place {
        "key" => &[KEY_OWNER],
        "link" | "post" => &[&[CREATED_AT], &[METADATA]],
        _ => &[],
    };
    let optional = optional.iter().filter(|fields| Fields(fields).fits(object));
    let known: Vec<_> = known.iter().chain(optional).copied().collect();
    let shortened = |(name, value): (String, Value)| {
        let value = match value {
            value if value.to_string().chars().count() <= MAX_CHARACTERS => value,
            Value::String(text) => text.chars().take(MAX_CHARACTERS).collect::<String>().into(),
            Value::Array(_) => json!([]),
            _ => json!({}),
        };
        (name, value)
    };
    extra(object, &known).into_iter().map(shortened).collect()
}
