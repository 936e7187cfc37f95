//! The sentences of the specification that every service has to fulfill, as far as responses show it.

use mock_server::ProfileField;
use serde_json::{Map, Value, json};

use super::reference::Answers;
use crate::answer::{Answer, pick, without_texts};
use crate::delivery::{Delivery, decode};
use crate::finding::{Finding, Row, Sample};
use crate::observations::Observations;
use crate::steps::Step::{self, *};

/// A sentence of the specification, the requests that show it, and a function that returns the part of a
/// response that contradicts it. The second response is that of the mock.
type Statement = (
    &'static str,
    &'static [Step],
    fn(&Answer, &Answer) -> Option<Value>,
);

#[rustfmt::skip]
const STATEMENTS: &[Statement] = &[
    ("Responses that carry data wrap it in an object with a single top-level field `data`.",
        Step::ALL, |answer, _| {
            let body = answer.json.as_ref().filter(|_| answer.is_success())?;
            let is_wrapped = body.as_object().is_some_and(|body| body.keys().eq(["data"]));
            (!is_wrapped).then(|| without_texts(body))
        }),
    ("The response of GET /me contains everything the public profile read returns, plus these fields: \
      email, api_visible, key", &[Me],
        |answer, mock| missing(answer, mock, "", &["email", "api_visible", "key"])),
    ("key: object describing the calling key: its scopes and its rate limit", &[Me],
        |answer, mock| missing(answer, mock, "/key", &["scopes", "rate_limit"])),
    ("Badge: id, name, description, color (#rrggbb) and kind, all strings", &[Badges],
        |answer, mock| misfit(answer.at("")?, mock.at("")?)),
    ("total_views: integer; period: object with days and views; daily: array of objects with date \
      (YYYY-MM-DD) and views; countries: array of objects with code and views", &[Own1, Other1],
        |answer, mock| {
            let fields = ["total_views", "period", "daily", "countries"];
            let pick = |answer: &Answer| Some(Value::Object(pick(answer.at("")?, &fields)?));
            misfit(&pick(answer)?, &pick(mock)?)
        }),
    ("period: views within the window", &[Own1, Own30, Own365, Other1, Other30], |answer, _| {
        let views = answer.at("/period/views")?.as_u64()?;
        let daily = answer.at("/daily")?.as_array()?.iter();
        let sum: u64 = daily.map(|day| day["views"].as_u64()).sum::<Option<u64>>()?;
        (views != sum).then(|| json!({ "period.views": views, "sum of daily.views": sum }))
    }),
    ("days: 1 to 30 for other profiles; 1 to 365 for the caller's own profile; default 30",
        &[Own, Own1, Own30, Own31, Own365, Other, Other1, Other30], |answer, mock| {
            let days = answer.at("/period/days")?;
            (days != mock.at("/period/days")?).then(|| json!({ "period.days": days }))
        }),
    ("Site statistics: users, views and links, all integers", &[Site],
        |answer, mock| misfit(answer.at("")?, mock.at("")?)),
];

const DELIVERY: &str = "Each delivery carries: X-Service-Event, the event kind; X-Service-Signature, `sha256=` plus \
     the HMAC of the body with the webhook secret";

/// Returns the contradicted sentences of the specification. `mock` is the mock in its default dialect.
pub(super) fn contradictions(all: &Observations, mock: &Answers) -> Vec<Row> {
    let statements = STATEMENTS.iter().filter_map(|(sentence, steps, find)| {
        let find = |step: &Step| {
            let answer = all.answer(*step).ok()?;
            Some(answer.sample(find(answer, mock.get(step)?)?))
        };
        Some(((*sentence).to_owned(), steps.iter().find_map(find)?))
    });
    let stored = all.not_stored.iter().filter_map(|(step, found)| {
        let sample = all.answer(*step).ok()?.sample(*found);
        Some((format!("{} creates it", step.label()), sample))
    });
    let invalid = all.deliveries.iter().find_map(invalid);
    let delivery = invalid.map(|sample| (DELIVERY.to_owned(), sample));
    let all = statements
        .chain(exceeded(all))
        .chain(stored)
        .chain(delivery);
    let row = |(sentence, sample)| Row::new("", sentence, Finding::Contradiction { sample });
    all.map(row).collect()
}

/// Returns the members of an object that only the mock has.
fn missing(service: &Answer, mock: &Answer, pointer: &str, names: &[&str]) -> Option<Value> {
    let expected = pick(mock.at(pointer)?, names)?;
    let found = service.at(pointer);
    let Some(found) = found.and_then(Value::as_object) else {
        return Some(without_texts(found.unwrap_or(&Value::Null)));
    };
    let missing = expected.keys().filter(|name| !found.contains_key(*name));
    let missing: Map<_, _> = missing.map(|name| (name.clone(), Value::Null)).collect();
    (!missing.is_empty()).then(|| missing.into())
}

/// Returns a part of a value that is not of the same kind as that of the mock.
fn misfit(service: &Value, mock: &Value) -> Option<Value> {
    match (service, mock) {
        (Value::Object(service), Value::Object(mock)) => mock.iter().find_map(|(name, mock)| {
            let found = misfit(service.get(name).unwrap_or(&Value::Null), mock)?;
            Some(json!({ name: found }))
        }),
        (Value::Array(service), Value::Array(mock)) => {
            service.iter().find_map(|one| misfit(one, mock.first()?))
        }
        (Value::Number(number), Value::Number(_)) => (!number.is_u64()).then(|| service.clone()),
        (Value::String(text), Value::String(mock)) => {
            let is_same = |is_kind: fn(&str) -> bool| is_kind(text) || !is_kind(mock);
            // An empty string clears a color.
            let is_color = is_same(is_color) || text.is_empty();
            (!is_color || !is_same(is_date)).then(|| service.clone())
        }
        _ => Some(without_texts(service)),
    }
}

fn is_color(text: &str) -> bool {
    let is_hex = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    text.len() == 7 && text.strip_prefix('#').is_some_and(is_hex)
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Returns the first field of the profile that exceeds its limit, and the limit. An empty string is not
/// an invalid color but one that is not set.
fn exceeded(all: &Observations) -> Option<(String, Sample)> {
    let me = all.me().ok()?;
    ProfileField::ALL.iter().find_map(|field| {
        let (name, limit) = (field.name(), field.limit());
        let value = me.at(&format!("/{name}"))?;
        let is_valid = match value.as_str() {
            Some(text) => text.is_empty() || limit.accepts(text),
            None => value.is_null(),
        };
        let sample = me.sample(json!({ name: without_texts(value) }));
        (!is_valid).then(|| (format!("{name}: {limit}"), sample))
    })
}

/// Returns the headers of a delivery that does not have them as specified.
fn invalid(delivery: &Delivery) -> Option<Sample> {
    let [event, signature] =
        ["x-service-event", "x-service-signature"].map(|name| delivery.header(name));
    let is_valid = event.is_some()
        && signature.and_then(decode).is_some()
        && delivery.is_genuine != Some(false);
    let found = json!({
        "x-service-event": event,
        "x-service-signature": signature,
        "signature fits": delivery.is_genuine,
    });
    (!is_valid).then(|| delivery.sample(found))
}
