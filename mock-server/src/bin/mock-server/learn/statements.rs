//! The sentences of the specification that every service has to fulfill, as far as responses show it.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::finding::Sample;
use super::limits::{PROFILE, is_color, is_within_limits};
use super::observations::{Observations, Step};

/// A sentence of the specification, and a function that returns a response that contradicts it.
type Statement = (&'static str, fn(&Observations) -> Option<Sample>);

const LIMITS: &str = "display_name: up to 32 characters; bio: up to 300 characters and up to 10 lines; location: \
     up to 40 characters; colours: format #rrggbb";

const STATEMENTS: [Statement; 12] = [
    (
        "Responses that carry data wrap it in an object with a single top-level field `data`.",
        data_stands_alone,
    ),
    (
        "The response of GET /me contains everything the public profile read returns, plus these \
         fields: email, api_visible, key",
        me_is_complete,
    ),
    (LIMITS, profile_is_within_limits),
    (LIMITS, limits_are_enforced),
    (
        "key: object describing the calling key: its scopes and its rate limit",
        key_is_complete,
    ),
    (
        "Badge: id, name, description, color (#rrggbb) and kind, all strings",
        badges_are_complete,
    ),
    (
        "total_views: integer; period: object with days and views; daily: array of objects with date \
         and views; devices: object of integers; countries: array of objects with code and views",
        own_statistics_are_complete,
    ),
    (
        "days: 1 to 30 for other profiles; 1 to 365 for the caller's own profile; default 30",
        days_are_accepted,
    ),
    (
        "Site statistics: users, views and links, all integers",
        site_is_complete,
    ),
    (
        "PATCH /me/profile with a field that is not in the list of editable fields is rejected as a \
         whole (unknown fields are never ignored).",
        unknown_fields_are_rejected,
    ),
    (
        "A call to an operation whose scope the key lacks is refused",
        missing_scopes_are_rejected,
    ),
    (
        "Each delivery carries: X-Service-Event, the event kind; X-Service-Signature, `sha256=` plus \
         the HMAC of the body with the webhook secret",
        deliveries_are_signed,
    ),
];

/// The name of a field, and a function that returns `true` for its valid values.
type Field = (&'static str, fn(&Value) -> bool);

/// Returns the contradicted sentences of the specification.
pub(super) fn contradictions(
    observations: &Observations,
) -> impl Iterator<Item = (&'static str, Sample)> {
    let found = STATEMENTS.into_iter();
    found.filter_map(|(sentence, check)| Some((sentence, check(observations)?)))
}

fn data_stands_alone(observations: &Observations) -> Option<Sample> {
    let stands_alone = |answer: &Answer| {
        let body = answer.json.as_ref().and_then(Value::as_object);
        answer.text.is_empty()
            || body.is_some_and(|body| body.len() == 1 && body.contains_key("data"))
    };
    let mut answers = observations.answers().map(|(_, answer)| answer);
    let found = answers.find(|answer| answer.is_success() && !stands_alone(answer))?;
    Some(match found.json.as_ref().and_then(Value::as_object) {
        Some(body) => found.sample(body.keys().cloned().collect::<Value>()),
        None => found.sample("no JSON object"),
    })
}

/// Returns the names of the fields that do not fulfill a condition.
fn invalid(object: &Map<String, Value>, fields: &[Field]) -> Option<Value> {
    let found = fields
        .iter()
        .filter(|(name, is_valid)| !object.get(*name).is_some_and(is_valid));
    let found: Map<_, _> = found
        .map(|(name, _)| {
            (
                (*name).to_owned(),
                object.get(*name).cloned().unwrap_or_default(),
            )
        })
        .collect();
    (!found.is_empty()).then_some(found.into())
}

/// Returns the invalid fields of the data of a response.
fn incomplete(observations: &Observations, step: Step, fields: &[Field]) -> Option<Sample> {
    let answer = observations.answer(step).ok()?;
    Some(answer.sample(invalid(answer.object().ok()?, fields)?))
}

fn me_is_complete(observations: &Observations) -> Option<Sample> {
    let fields: &[Field] = &[
        ("email", Value::is_string),
        ("api_visible", |_| true),
        ("key", Value::is_object),
    ];
    incomplete(observations, Step::Me, fields)
}

fn profile_is_within_limits(observations: &Observations) -> Option<Sample> {
    let me = observations.answer(Step::Me).ok()?;
    let object = me.object().ok()?;
    let mut values = PROFILE
        .map(|name| (name, object.get(name).unwrap_or(&Value::Null)))
        .into_iter();
    let (name, value) = values.find(|(name, value)| !is_within_limits(name, value))?;
    Some(me.sample(json!({ name: value })))
}

/// Compares edits of the profile at the limits with the specification.
fn limits_are_enforced(observations: &Observations) -> Option<Sample> {
    observations
        .answer(Step::Location)
        .ok()
        .filter(|answer| answer.is_success())?;
    let edits = [
        (Step::Location40, true),
        (Step::Location41, false),
        (Step::Bio300, true),
        (Step::Bio301, false),
        (Step::BioTenLines, true),
        (Step::BioElevenLines, false),
        (Step::ColorShort, false),
        (Step::ColorUpperCase, true),
    ];
    edits.into_iter().find_map(|(step, is_valid)| {
        let answer = observations.answer(step).ok()?;
        let contradicts = match is_valid {
            true => answer.is_rejection(),
            false => answer.is_success(),
        };
        let found = if is_valid { "rejected" } else { "accepted" };
        contradicts.then(|| answer.sample(format!("{step:?} is {found}")))
    })
}

fn key_is_complete(observations: &Observations) -> Option<Sample> {
    let (me, key) = observations.key().ok()?;
    let fields: &[Field] = &[
        ("scopes", |value| value.is_array() || value.is_string()),
        ("rate_limit", |value| !value.is_null()),
    ];
    Some(me.sample(invalid(key, fields)?))
}

fn badges_are_complete(observations: &Observations) -> Option<Sample> {
    let answer = observations.answer(Step::Badges).ok()?;
    let Some(badges) = answer.data().ok()?.as_array() else {
        return Some(answer.body_sample());
    };
    let fields: &[Field] = &[
        ("id", Value::is_string),
        ("name", Value::is_string),
        ("description", Value::is_string),
        ("color", is_color),
        ("kind", Value::is_string),
    ];
    let is_valid = |badge: &&Value| {
        badge
            .as_object()
            .is_some_and(|badge| invalid(badge, fields).is_none())
    };
    let found = badges.iter().find(|badge| !is_valid(badge))?;
    Some(answer.sample(found.clone()))
}

fn own_statistics_are_complete(observations: &Observations) -> Option<Sample> {
    fn has(value: &Value, text: &str) -> bool {
        value.get(text).is_some_and(Value::is_string) && value["views"].is_u64()
    }
    fn all(value: &Value, text: &str) -> bool {
        value
            .as_array()
            .is_some_and(|all| all.iter().all(|one| has(one, text)))
    }
    let fields: &[Field] = &[
        ("total_views", Value::is_u64),
        ("period", |period| {
            period["days"].is_u64() && period["views"].is_u64()
        }),
        ("daily", |daily| all(daily, "date")),
        ("devices", |devices| {
            devices
                .as_object()
                .is_some_and(|counts| counts.values().all(Value::is_u64))
        }),
        ("countries", |countries| all(countries, "code")),
    ];
    incomplete(observations, Step::OwnStatistics(Some(1)), fields)
}

fn days_are_accepted(observations: &Observations) -> Option<Sample> {
    let own = [None, Some(1), Some(30), Some(31), Some(365)]
        .map(|days| (Step::OwnStatistics(days), days));
    let other = [None, Some(1), Some(30)].map(|days| (Step::OtherStatistics(days), days));
    own.into_iter().chain(other).find_map(|(step, days)| {
        let answer = observations.answer(step).ok()?;
        if answer.is_rejection() {
            return Some(answer.body_sample());
        }
        let found = answer.object().ok()?.get("period")?.get("days")?;
        let expected = u64::from(days.unwrap_or(30));
        (found.as_u64() != Some(expected)).then(|| answer.sample(found.clone()))
    })
}

fn site_is_complete(observations: &Observations) -> Option<Sample> {
    let fields: &[Field] = &[
        ("users", Value::is_u64),
        ("views", Value::is_u64),
        ("links", Value::is_u64),
    ];
    incomplete(observations, Step::Site, fields)
}

fn unknown_fields_are_rejected(observations: &Observations) -> Option<Sample> {
    let answer = observations.answer(Step::UnknownProfileField).ok()?;
    if answer.is_success() {
        return Some(answer.body_sample());
    }
    let [before, after] =
        [Step::Me, Step::MeAfterwards].map(|step| observations.answer(step).ok()?.object().ok());
    let (before, after) = (before?, after?);
    let changed = PROFILE
        .into_iter()
        .find(|name| before.get(*name) != after.get(*name))?;
    Some(answer.sample(format!("{changed} has changed")))
}

fn missing_scopes_are_rejected(observations: &Observations) -> Option<Sample> {
    let scopes = observations.scopes().ok()?;
    let answer = observations.answer(Step::Analytics).ok()?;
    let is_missing = !scopes.contains(&"analytics:read");
    (is_missing && answer.is_success()).then(|| answer.sample("accepted"))
}

fn deliveries_are_signed(observations: &Observations) -> Option<Sample> {
    observations.deliveries.iter().find_map(|delivery| {
        if delivery.header("x-service-event").is_none() {
            return Some(delivery.sample("no header X-Service-Event"));
        }
        if delivery.digest().is_none() {
            let found = delivery.header("x-service-signature");
            return Some(delivery.sample(json!({ "x-service-signature": found })));
        }
        let is_forged = delivery.is_genuine == Some(false);
        is_forged.then(|| delivery.sample("the signature does not fit the secret and the body"))
    })
}
