//! The comparison of all responses with those of the mock in the learned dialect.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::learner::{Conclusions, rejection};
use super::views::shape;
use crate::answer::Answer;
use crate::finding::{Finding, Row};
use crate::observations::Observations;
use crate::steps::Step;

/// The sentences of the specification that a service contradicts if it accepts what the mock rejects, by
/// the code of the mock.
#[rustfmt::skip]
const REJECTED: &[(&str, &str)] = &[
    ("key_missing", KEY), ("unknown_key", KEY),
    ("scope_missing", "A call to an operation whose scope the key lacks is refused"),
    ("out_of_range", "days: 1 to 30 for other profiles; 1 to 365 for the caller's own profile"),
    ("unknown_field", "PATCH /me/profile with a field that is not in the list of editable fields is \
                       rejected as a whole (unknown fields are never ignored)."),
];

const KEY: &str = "The caller sends the header `Authorization: Bearer <API_KEY>`. (Security: the service \
                   answers without a valid key.)";

/// Returns the requests to which the service and the mock respond with another status or shape.
pub(super) fn differences(all: &Observations, conclusions: &Conclusions) -> Vec<Row> {
    let answers = all.answers();
    let rows = answers.filter_map(|(step, answer)| {
        let mock = conclusions.answers.get(&step)?;
        let (found, is_contradiction) = difference(answer, mock)?;
        let sample = answer.sample(found);
        let code = rejection(&conclusions.baseline, step).map(|(code, _)| code);
        let is_own = step != Step::EditLinkUnknownField;
        let sentence = REJECTED
            .iter()
            .find(|(name, _)| Some(*name) == code && is_own);
        Some(match (is_contradiction, sentence) {
            (true, Some((_, sentence))) if answer.is_success() => {
                Row::new("", *sentence, Finding::Contradiction { sample })
            }
            (true, _) if mock.is_success() && !step.label().ends_with("without a key") => {
                let sentence = format!("the specification defines {}", step.label());
                Row::new("", sentence, Finding::Contradiction { sample })
            }
            _ => {
                let question = format!("response to {}", step.label());
                Row::new("", question, Finding::Outside { sample })
            }
        })
    });
    let mut rows: Vec<Row> = rows.collect();
    // Several requests read the profile.
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert(row.question.clone()));
    rows
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
        None => json!("text"),
    };
    let found = other_shape("", &body(service), &body(mock))?;
    Some((found, false))
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
            let other = |mock: &Value| {
                let mut differences = service.iter().map(|one| {
                    let pointer = format!("{pointer}/0");
                    other_shape(&pointer, one, mock)
                });
                let first = differences.next()??;
                differences.all(|one| one.is_some()).then_some(first)
            };
            mock.iter().find_map(other)
        }
        _ if service == mock => None,
        _ => {
            let pointer = if pointer.is_empty() {
                "the body"
            } else {
                pointer
            };
            let (service, mock) = (name(service), name(mock));
            Some(format!("{pointer} is {service}; the mock returns {mock}"))
        }
    }
}
