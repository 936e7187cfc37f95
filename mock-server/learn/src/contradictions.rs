//! The sentences of the page about the service that a service contradicts, and the responses that differ
//! from those of the mock in the learned dialect.

use std::collections::BTreeSet;

use mock_server::{FieldLimit, ProfileField};
use serde_json::{Map, Value, json};

use crate::learner::{Finding, Learner, Row};
use crate::observations::{Delivery, Observations, decode};
use crate::requests::Step::{self, *};
use crate::response::{Answer, Sample, pick, without_texts};
use crate::views::shape;

/// A sentence or a row of a table of `docs/service.md`, the requests that show it, and a function that returns
/// the part of a response that contradicts it. The second response is that of the mock.
type Statement = (
    &'static str,
    &'static [Step],
    fn(&Answer, &Answer) -> Option<Value>,
);

#[rustfmt::skip]
const STATEMENTS: &[Statement] = &[
    ("A response with data is an object with one field, `data`, that contains the data.",
        Step::ALL, |answer, _| {
            let body = answer.json.as_ref().filter(|_| answer.is_success())?;
            let is_wrapped = body.as_object().is_some_and(|body| body.keys().eq(["data"]));
            (!is_wrapped).then(|| without_texts(body))
        }),
    ("`GET /me` returns the public profile and three more fields", &[Me],
        |answer, mock| missing(answer, mock, "", &["email", "api_visible", "key"])),
    ("`key`: the scopes and the rate limit of the key", &[Me],
        |answer, mock| missing(answer, mock, "/key", &["scopes", "rate_limit"])),
    ("GET /badges: Returns all badges as an array.", &[Badges],
        |answer, _| answer.at("").filter(|data| !data.is_array()).map(without_texts)),
    ("A badge has an `id`, a `name`, a `description`, a `color` (`#rrggbb`) and a `kind`, all strings.", &[Badges],
        |answer, mock| answer.at("/0").and_then(|_| misfit(answer.at("")?, mock.at("")?))),
    ("GET /users/{handle}/stats: Returns the view statistics of a profile.", &[Own1, Other1],
        |answer, _| answer.at("").filter(|data| !data.is_object()).map(without_texts)),
    ("`total_views`: integer: all views", &[Own1, Other1],
        |answer, mock| field("total_views", answer, mock)),
    ("`period`: object: `days` (the number of days) and `views` (the views in these days), both integers", &[
        Own1, Own30, Own365, Other1, Other30], |answer, mock| field("period", answer, mock).or_else(|| {
        let views = answer.at("/period/views")?.as_u64()?;
        let daily = answer.at("/daily")?.as_array()?.iter();
        let sum: u64 = daily.map(|day| day["views"].as_u64()).sum::<Option<u64>>()?;
        (views != sum).then(|| json!({ "period.views": views, "sum of daily.views": sum }))
    })),
    ("`daily`: array of objects: `date` (`YYYY-MM-DD`) and `views` (integer)", &[Own1, Other1],
        |answer, mock| field("daily", answer, mock)),
    ("`devices`: object: `desktop`, `mobile` and `tablet`, all integers", &[Own1],
        |answer, mock| field("devices", answer, mock)),
    ("`countries`: array of objects: `code` (a country code) and `views` (integer)", &[Own1],
        |answer, mock| field("countries", answer, mock)),
    ("an integer, 1 to 365 for the caller's own profile, and 1 to 30 for any other one; the default is 30.",
        &[Own, Own1, Own30, Own31, Own365, Other, Other1, Other30], |answer, mock| {
            let days = answer.at("/period/days").filter(|days| days.is_u64())?;
            (days != mock.at("/period/days")?).then(|| json!({ "period.days": days }))
        }),
    ("Site statistics: `users`, `views` and `links`, all integers.", &[Site],
        |answer, mock| misfit(answer.at("")?, mock.at("")?)),
];

const EVENT: &str = "`X-Service-Event` is the kind of the event.";
const SIGNATURE: &str = "`X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the body with the \
                         secret of the webhook.";

/// Returns the sentences that the service contradicts, compared with the mock in its default dialect.
pub(crate) fn sentences(learner: &Learner<'_>) -> Vec<Row> {
    let (all, mock) = (learner.all, &learner.baseline);
    let statements = STATEMENTS.iter().filter_map(|(sentence, steps, find)| {
        let find = |step: &Step| {
            let answer = all.answer(*step).ok()?;
            Some(answer.sample(find(answer, mock.get(step)?)?))
        };
        Some(((*sentence).to_owned(), steps.iter().find_map(find)?))
    });
    let not_applied = all.not_applied.iter();
    let not_applied = not_applied.filter_map(|(step, sentence, found)| {
        let sample = all.answer(*step).ok()?.sample(*found);
        Some(((*sentence).to_owned(), sample))
    });
    let delivery = all.deliveries.iter().find_map(invalid);
    let contradicted = statements.chain(exceeded(all)).chain(not_applied);
    let row = |(sentence, sample)| Row::new("", sentence, Finding::Contradiction { sample });
    contradicted.chain(delivery).map(row).collect()
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

/// Returns a field of an object that is not of the same kind as that of the mock.
fn field(name: &str, service: &Answer, mock: &Answer) -> Option<Value> {
    let found = service.at("")?.as_object()?.get(name);
    let found = misfit(found.unwrap_or(&Value::Null), mock.at("")?.get(name)?)?;
    Some(json!({ name: found }))
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
            let is_color = is_same(|text| FieldLimit::Color.accepts(text)) || text.is_empty();
            (!is_color || !is_same(is_date)).then(|| service.clone())
        }
        _ => Some(without_texts(service)),
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Returns the first field of the profile that exceeds its limit, and the limit. An empty string is not
/// an invalid color but one that is not set.
fn exceeded(all: &Observations) -> Option<(String, Sample)> {
    let me = all.me();
    ProfileField::ALL.iter().find_map(|field| {
        let (name, limit) = (field.name(), field.limit());
        let value = me.at(&format!("/{name}"))?;
        let is_valid = match value.as_str() {
            Some(text) => text.is_empty() || limit.accepts(text),
            None => value.is_null(),
        };
        let sample = me.sample(json!({ name: without_texts(value) }));
        (!is_valid).then(|| (format!("`{name}`: {limit}"), sample))
    })
}

/// Returns the headers of a delivery that does not have them as specified.
fn invalid(delivery: &Delivery) -> Option<(String, Sample)> {
    let [event, signature] =
        ["x-service-event", "x-service-signature"].map(|name| delivery.header(name));
    let is_signed = signature.and_then(decode).is_some() && delivery.is_genuine != Some(false);
    let sentence = match (event, is_signed) {
        (None, _) => EVENT,
        (_, false) => SIGNATURE,
        _ => return None,
    };
    let found = json!({
        "x-service-event": event,
        "x-service-signature": signature,
        "signature fits": delivery.is_genuine,
    });
    Some((sentence.to_owned(), delivery.sample(found)))
}

/// The sentences of `docs/service.md` that a service contradicts if it accepts what the mock rejects, by the
/// code of the mock.
#[rustfmt::skip]
const REJECTED: &[(&str, &str)] = &[
    ("key_missing", KEY), ("unknown_key", KEY),
    ("scope_missing", "A call whose scope the key lacks is rejected."),
    ("out_of_range", "1 to 365 for the caller's own profile, and 1 to 30 for any other one"),
    ("unknown_field", "A body with any other field is rejected as a whole."),
];

const KEY: &str = "The caller sends the header `Authorization: Bearer <API_KEY>`.";

/// Returns the requests for which the service and the mock differ in status or shape.
pub(crate) fn differences(learner: &Learner<'_>) -> Vec<Row> {
    let answers = learner.answers(Step::ALL);
    let rows = learner.all.received().filter_map(|(step, answer)| {
        let mock = answers.get(&step)?;
        let (found, is_contradiction) = difference(answer, mock)?;
        let sample = answer.sample(found);
        let code = learner.rejection(step).map(|(code, _)| code);
        let is_own = step != Step::EditLinkUnknownField;
        let mut rejected = REJECTED.iter();
        let sentence = rejected.find(|(name, _)| Some(*name) == code && is_own);
        let label = step.label();
        let is_open = matches!(step, BadgesWithoutKey | SiteWithoutKey);
        let contradicted = match (is_contradiction, sentence) {
            (true, Some((_, sentence))) if answer.is_success() => (*sentence).to_owned(),
            (true, _) if mock.is_success() && !is_open => label,
            _ => {
                let question = format!("response to {label}");
                return Some(Row::new("", question, Finding::Outside { sample }));
            }
        };
        let finding = Finding::Contradiction { sample };
        Some(Row::new("", contradicted, finding))
    });
    // Several requests read the profile.
    let mut seen = BTreeSet::new();
    rows.filter(|row| seen.insert(row.question.clone()))
        .collect()
}

/// Returns a description of the first difference, and `true` if only one of the two accepts the request.
fn difference(service: &Answer, mock: &Answer) -> Option<(String, bool)> {
    if service.status == 429 || service.status >= 500 {
        return None;
    }
    if service.status != mock.status {
        let is_accepted = service.is_success() != mock.is_success();
        return Some((format!("the mock returns {}", mock.status), is_accepted));
    }
    let body = |answer: &Answer| match &answer.json {
        Some(body) => shape(body),
        None if answer.text.is_empty() => json!("empty"),
        None if answer.text.contains('<') => json!(format!("a page with {}", tags(&answer.text))),
        None => json!("text"),
    };
    let found = other_shape("", &body(service), &body(mock))?;
    Some((found, false))
}

/// Returns the tags of a page.
fn tags(page: &str) -> String {
    let parts = page.split('<').skip(1);
    let tags = parts.filter_map(|part| part.split_once('>'));
    tags.map(|(tag, _)| format!("<{tag}>")).collect()
}

/// Describes the first part of a shape that the mock does not have, or that only the mock has.
fn other_shape(pointer: &str, service: &Value, mock: &Value) -> Option<String> {
    let name = |shape: &Value| match shape {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    match (service, mock) {
        (Value::Object(service), Value::Object(mock)) => {
            let missing = mock.keys().find(|name| !service.contains_key(*name));
            if let Some(name) = missing {
                return Some(format!("{pointer}/{name} is missing"));
            }
            service.iter().find_map(|(name, shape)| {
                let pointer = format!("{pointer}/{name}");
                match mock.get(name) {
                    Some(mock) => other_shape(&pointer, shape, mock),
                    None => Some(format!("{pointer} is unknown to the mock")),
                }
            })
        }
        // Elements may differ, and an empty array shows no elements.
        (Value::Array(service), Value::Array(mock)) => {
            let pointer = format!("{pointer}/0");
            mock.iter().find_map(|mock| {
                let differences = service.iter().map(|one| other_shape(&pointer, one, mock));
                let differences: Option<Vec<_>> = differences.collect();
                differences?.into_iter().next()
            })
        }
        _ if service == mock => None,
        _ => {
            let place = Some(pointer).filter(|pointer| !pointer.is_empty());
            let (place, service, mock) = (place.unwrap_or("the body"), name(service), name(mock));
            Some(format!("{place} is {service}; the mock returns {mock}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::observations::KINDS;
    use crate::writes::EDITS;

    #[test]
    fn quoted_sentences_are_on_the_page_about_the_service() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/service.md");
        // The package does not contain the page.
        let Ok(page) = fs::read_to_string(path) else {
            return;
        };
        // Anchors and the targets of links are not text.
        let without = |text: &str, start: &str, end: &str| {
            let mut parts = text.split(start);
            let first = parts.next().into_iter();
            let others = parts.map(|part| part.split_once(end).expect(end).1);
            first.chain(others).collect::<Vec<_>>().join(" ")
        };
        let page = without(&without(&page, "<a id=", "</a>"), "](", ")");
        let words = |text: &str| {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
            words.join(" ")
        };
        let page = words(&page);
        let mut quotes = vec![EVENT, SIGNATURE];
        quotes.extend(STATEMENTS.iter().map(|(sentence, ..)| sentence));
        quotes.extend(REJECTED.iter().map(|(_, sentence)| sentence));
        quotes.extend(EDITS.iter().map(|(_, sentence, _)| sentence));
        quotes.extend(
            KINDS
                .iter()
                .flat_map(|kind| [kind.sentence, kind.identifier]),
        );
        quotes.retain(|quote| !page.contains(&words(quote)));
        assert_eq!(quotes, Vec::<&str>::new());
    }
}
