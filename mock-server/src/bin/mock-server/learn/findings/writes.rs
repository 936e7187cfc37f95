//! Values in responses to writes.

use serde_json::{Map, Value, json};

use crate::learn::answer::{Answer, without_texts};
use crate::learn::finding::{Finding, Found, Observed};
use crate::learn::observations::Observations;
use crate::learn::requests::{Mock, Step};
use crate::learn::shape::Field;
use crate::learn::shape::Shape::Is;

/// Observes `true` for each request that the service accepts or rejects as the mock does. `valid` is a
/// write that has to be accepted first.
pub(crate) fn compare(all: &Observations, valid: Step, steps: &[Step]) -> Observed {
    all.success(valid)?;
    let observe = |step: &Step| {
        let (answer, is_accepted) = (all.answer(*step)?, all.accepts(*step)?);
        let sent: Value = serde_json::from_str(&answer.sent).unwrap_or_default();
        let result = if is_accepted { "accepted" } else { "rejected" };
        let is_same = is_accepted == matches!(step.mock(), Mock::Accepts);
        Ok((json!(is_same), answer.sample(json!({ result: sent }))))
    };
    steps.iter().map(observe).collect()
}

pub(crate) fn case_of_colors(all: &Observations) -> Observed {
    let color = all.answer(Step::MeEdited)?.at("/accent_color")?;
    let edited = all.success(Step::ColorUpperCase)?;
    edited.observe(color == "#ABCDEF", json!({ "accent_color": color }))
}

pub(crate) fn unknown_fields(all: &Observations) -> Observed {
    all.success(Step::EditLink)?;
    let is_accepted = all.accepts(Step::EditLinkUnknownField)?;
    let answer = all.answer(Step::EditLinkUnknownField)?;
    answer.observe_body(if is_accepted { "ignored" } else { "rejected" })
}

/// Returns the successful writes with the names of their kinds in `write_statuses`.
fn written(all: &Observations) -> Result<Vec<(&Answer, &'static str)>, String> {
    const WRITES: [(Step, &str); 6] = [
        (Step::Location, "edited"),
        (Step::EditLink, "edited"),
        (Step::CreateLink, "created"),
        (Step::CreatePost, "created"),
        (Step::DeleteLink, "deleted"),
        (Step::DeletePost, "deleted"),
    ];
    let success = |(step, kind)| Some((all.success(step).ok()?, kind));
    let written: Vec<_> = WRITES.into_iter().filter_map(success).collect();
    match written.first() {
        // A deletion does not show the responses to other writes.
        None | Some((_, "deleted")) => all.success(Step::Location).map(|_| written),
        Some(_) => Ok(written),
    }
}

/// The bodies of successful writes by the value of `write_responses`.
#[rustfmt::skip]
const BODIES: &[Field] = &[
    ("no_content", Is(|body| body == "")),
    ("resource", Is(|body| body["data"].as_object().is_some_and(|one| !one.is_empty()))),
    ("empty_data", Is(|body| body["data"] == json!({}))),
    ("null_data", Is(|body| body.get("data") == Some(&Value::Null))),
];

fn name(answer: &Answer) -> Option<&'static str> {
    let body = answer.body();
    let (name, _) = BODIES.iter().find(|(_, shape)| shape.fits(&body))?;
    Some(name)
}

pub(crate) fn responses(all: &Observations) -> Observed {
    let mut written = written(all)?;
    if name(written[0].0) == Some("resource") {
        // A deletion does not leave a resource to return.
        written.retain(|(answer, kind)| *kind != "deleted" || !answer.text.is_empty());
    }
    let observe = |(answer, _): (&Answer, _)| {
        let sample = answer.sample(without_texts(&answer.body()));
        (json!(name(answer)), sample)
    };
    Ok(written.into_iter().map(observe).collect())
}

/// Returns the statuses that differ from those of the mock for the same bodies.
pub(crate) fn statuses(all: &Observations) -> Found {
    let written = written(all)?;
    let (first, _) = written[0];
    let body = name(first).ok_or("write_responses is outside the dialects")?;
    let mut found = Map::new();
    for (answer, kind) in &written {
        let status = found.entry(*kind).or_insert_with(|| answer.status.into());
        if *status != answer.status {
            let sample = answer.sample(without_texts(&answer.body()));
            return Ok(Finding::Outside { sample });
        }
    }
    let sample = first.sample(found.clone());
    found.retain(|kind, status| {
        let expected = match (body, kind.as_str()) {
            ("no_content", _) | ("resource", "deleted") => 204,
            ("resource", "created") => 201,
            _ => 200,
        };
        *status != expected
    });
    Ok(Finding::values(found, sample))
}
