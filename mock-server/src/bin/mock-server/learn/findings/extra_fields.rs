//! Fields of responses that neither the specification nor the mock has.

use serde_json::{Map, Value, json};

use super::me::{Resource, has_owner, kind_of_resource, resources};
use crate::learn::finding::{Finding, Found};
use crate::learn::limits::PROFILE;
use crate::learn::observations::{Observations, Step};

/// Maximum length of a copied value in characters of JSON.
const MAX_VALUE: usize = 200;

/// The fields that the mock has, besides those of the profile in `GET /me`.
const ME: [&str; 7] = [
    "handle",
    "links",
    "posts",
    "badges",
    "email",
    "api_visible",
    "key",
];
const STATISTICS: [&str; 5] = ["total_views", "period", "daily", "devices", "countries"];
const ANALYTICS: [&str; 6] = [
    "views",
    "likes",
    "social",
    "followers",
    "following",
    "comments",
];
const BADGE: [&str; 5] = ["id", "name", "description", "color", "kind"];
const SITE: [&str; 3] = ["users", "views", "links"];

pub(in crate::learn) fn extra_fields(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let data = |step| {
        observations
            .answer(step)
            .ok()
            .and_then(|answer| answer.object().ok())
    };
    let badges = observations
        .answer(Step::Badges)
        .ok()
        .and_then(|answer| answer.data().ok());
    let badge = badges.and_then(|badges| badges.get(0)?.as_object());
    let key = observations.key().ok().map(|(_, key)| key);
    let key_fields: &[&str] = match key.is_some_and(has_owner) {
        true => &["scopes", "rate_limit", "name", "owner"],
        false => &["scopes", "rate_limit"],
    };
    let resources = resources(observations).unwrap_or_default();
    let me_fields = [&PROFILE[..], &ME].concat();
    let profile = extra(data(Step::Location), &me_fields);
    let mut of_me = extra(data(Step::Me), &me_fields);
    of_me.retain(|name, _| !profile.contains_key(name));
    let objects = [
        ("me", of_me),
        ("profile", profile),
        ("key", without_values(extra(key, key_fields))),
        ("link", extra_of(&resources, "title")),
        ("post", extra_of(&resources, "body")),
        ("badge", extra(badge, &BADGE)),
        (
            "statistics",
            extra(data(Step::OwnStatistics(Some(1))), &STATISTICS),
        ),
        ("analytics", extra(data(Step::Analytics), &ANALYTICS)),
        ("site", extra(data(Step::Site), &SITE)),
    ];
    let found = objects.into_iter().filter(|(_, fields)| !fields.is_empty());
    let found: Map<_, _> = found
        .map(|(name, fields)| (name.to_owned(), fields.into()))
        .collect();
    let names = found.iter().map(|(name, fields)| {
        let fields = fields.as_object().into_iter().flat_map(Map::keys);
        (name.clone(), fields.cloned().collect())
    });
    let sample = me.sample(names.collect::<Map<_, Value>>());
    Ok(Finding::learned_fields(found, sample))
}

fn extra(object: Option<&Map<String, Value>>, known: &[&str]) -> Map<String, Value> {
    let fields = object.into_iter().flatten();
    let others = fields.filter(|(name, _)| !known.contains(&name.as_str()));
    others
        .map(|(name, value)| (name.clone(), shortened(value)))
        .collect()
}

/// Returns the extra fields of the first link or post, which has the given field.
fn extra_of(resources: &[Resource<'_>], field: &str) -> Map<String, Value> {
    let mut resources = resources.iter().filter(|(_, one)| one.contains_key(field));
    let first = resources.next().map(|(_, one)| *one);
    let known = match first.and_then(kind_of_resource) {
        Some("nested") => &["id", "title", "url", "body", "created_at", "metadata"][..],
        Some("created_at") => &["id", "title", "url", "body", "created_at"],
        _ => &["id", "title", "url", "body"],
    };
    extra(first, known)
}

fn shortened(value: &Value) -> Value {
    match value {
        value if value.to_string().chars().count() <= MAX_VALUE => value.clone(),
        Value::String(text) => text.chars().take(MAX_VALUE).collect::<String>().into(),
        Value::Array(_) => json!([]),
        _ => json!({}),
    }
}

/// Replaces texts, which may be secret.
fn without_values(key: Map<String, Value>) -> Map<String, Value> {
    let hidden = key.into_iter().map(|(name, value)| match value {
        Value::String(_) => (name, json!("…")),
        Value::Object(_) => (name, json!({})),
        Value::Array(_) => (name, json!([])),
        other => (name, other),
    });
    hidden.collect()
}
