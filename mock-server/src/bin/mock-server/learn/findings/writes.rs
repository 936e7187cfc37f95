//! Findings in the responses to writes.

use serde_json::{Map, Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

/// Returns `true` if the service accepted a write, and `false` if it rejected the content.
fn accepted(observations: &Observations, step: Step) -> Result<bool, String> {
    let answer = observations.answer(step)?;
    match answer.status {
        200..300 => Ok(true),
        401 | 403 | 404 | 429 => Err(answer.unexpected()),
        400..500 => Ok(false),
        _ => Err(answer.unexpected()),
    }
}

/// Returns an error unless the service accepted a write.
fn require(observations: &Observations, step: Step) -> Result<&Answer, String> {
    let answer = observations.answer(step)?;
    match answer.is_success() {
        true => Ok(answer),
        false => Err(answer.unexpected()),
    }
}

/// Compares which writes were accepted with what the mock does. `valid` is a write that has to be
/// accepted first.
pub(in crate::learn) fn compare(
    observations: &Observations,
    valid: Step,
    expected: &[(Step, bool)],
) -> Found {
    let mut last = require(observations, valid)?;
    for (step, expected) in expected {
        last = observations.answer(*step)?;
        if accepted(observations, *step)? != *expected {
            let found = if *expected { "rejected" } else { "accepted" };
            return Ok(Finding::Outside {
                sample: last.sample(format!("{step:?} is {found}")),
            });
        }
    }
    Ok(Finding::AsTheMock {
        sample: last.body_sample(),
    })
}

pub(in crate::learn) fn case_of_colors(observations: &Observations) -> Found {
    let edited = require(observations, Step::ColorUpperCase)?;
    let me = observations.answer(Step::MeEdited)?;
    let color = me.object()?.get("accent_color");
    let is_stored_as_given = color.and_then(Value::as_str) == Some("#ABCDEF");
    Ok(Finding::as_the_mock(
        is_stored_as_given,
        edited.sample(json!({ "accent_color": color })),
    ))
}

pub(in crate::learn) fn unknown_fields(observations: &Observations) -> Found {
    require(observations, Step::EditLink)?;
    let is_accepted = accepted(observations, Step::EditLinkUnknownField)?;
    let answer = observations.answer(Step::EditLinkUnknownField)?;
    let learned = if is_accepted { "ignored" } else { "rejected" };
    Ok(Finding::learned(Some(learned), answer.body_sample()))
}

/// The kind of the body of a successful write, with the statuses of the mock for a creation, an edit
/// and a deletion.
const WRITE_RESPONSES: [(&str, [u16; 3]); 4] = [
    ("resource", [201, 200, 204]),
    ("empty_data", [200, 200, 200]),
    ("null_data", [200, 200, 200]),
    ("no_content", [204, 204, 204]),
];

/// The names of the kinds of writes in `write_statuses`.
const WRITES: [&str; 3] = ["created", "edited", "deleted"];

/// The successful writes with the index of their kind in [`WRITES`].
fn written(observations: &Observations) -> Result<Vec<(&Answer, usize)>, String> {
    let steps = [
        (Step::Location, 1),
        (Step::EditLink, 1),
        (Step::CreateLink, 0),
        (Step::CreatePost, 0),
        (Step::DeleteLink, 2),
        (Step::DeletePost, 2),
    ];
    let written = steps.map(|(step, write)| Some((require(observations, step).ok()?, write)));
    let written: Vec<_> = written.into_iter().flatten().collect();
    match written.first() {
        Some((_, 0 | 1)) => Ok(written),
        _ => Err(require(observations, Step::Location)
            .err()
            .unwrap_or_default()),
    }
}

pub(in crate::learn) fn write_responses(observations: &Observations) -> Found {
    let written = written(observations)?;
    let (first, _) = written[0];
    let kind = kind_of_body(first);
    let differs = |(answer, write): &&(&Answer, usize)| {
        let body = kind_of_body(answer);
        let is_deleted = *write == 2 && kind == Some("resource") && body == Some("no_content");
        body != kind && !is_deleted
    };
    Ok(match written.iter().find(differs) {
        Some((other, _)) => Finding::Outside {
            sample: other.body_sample(),
        },
        None => Finding::learned(kind, first.body_sample()),
    })
}

/// Returns the statuses that differ from those of the mock for the same bodies.
pub(in crate::learn) fn write_statuses(observations: &Observations) -> Found {
    let written = written(observations)?;
    let (first, _) = written[0];
    let kind = WRITE_RESPONSES
        .iter()
        .find(|(name, _)| Some(*name) == kind_of_body(first));
    let (_, statuses) = kind.ok_or("see write_responses")?;
    let mut found = Map::new();
    for (answer, write) in &written {
        let status = found
            .entry(WRITES[*write])
            .or_insert_with(|| answer.status.into());
        if *status != answer.status {
            return Ok(Finding::Outside {
                sample: answer.body_sample(),
            });
        }
    }
    let sample = first.sample(found.clone());
    found.retain(|name, status| {
        WRITES
            .iter()
            .zip(statuses)
            .any(|(write, expected)| name == write && status != expected)
    });
    Ok(Finding::learned_fields(found, sample))
}

fn kind_of_body(answer: &Answer) -> Option<&'static str> {
    if answer.text.is_empty() {
        return Some("no_content");
    }
    match answer.json.as_ref()?.get("data")? {
        Value::Null => Some("null_data"),
        Value::Object(fields) if fields.is_empty() => Some("empty_data"),
        Value::Object(_) => Some("resource"),
        _ => None,
    }
}
