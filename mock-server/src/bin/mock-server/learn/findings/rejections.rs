//! The statuses and codes of rejections.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::error_bodies;
use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found, Observed};
use crate::learn::observations::Observations;
use crate::learn::requests::{Mock, Step};

/// Returns the name of a status, if the setting has it.
fn named(answer: &Answer, names: [(u16, &str); 2]) -> Observed {
    let mut names = names.into_iter();
    match names.find(|(status, _)| *status == answer.status) {
        Some((_, name)) => answer.observe_body(name),
        None if answer.is_rejection() => Err("another status; see rejections".to_owned()),
        None => Err(answer.unexpected()),
    }
}

pub(crate) fn content(all: &Observations) -> Observed {
    all.require_scope(&Step::UnknownField.call())?;
    let answer = all.answer(Step::UnknownField)?;
    named(answer, [(422, "unprocessable"), (400, "bad_request")])
}

pub(crate) fn scope(all: &Observations) -> Observed {
    let answer = all.answer(step_without_scope(all)?)?;
    named(answer, [(403, "forbidden"), (401, "unauthorized")])
}

/// Returns a request for which the key lacks the scope.
fn step_without_scope(all: &Observations) -> Result<Step, String> {
    all.scopes()?;
    let mut steps = [Step::Analytics, Step::UnknownField].into_iter();
    let lacking = steps.find(|step| all.require_scope(&step.call()).is_err());
    lacking.ok_or("needs a key without analytics:read or profile:write".to_owned())
}

pub(crate) fn reference_data(all: &Observations) -> Observed {
    let without_key = all.answer(Step::WithoutKey)?.status;
    let observe = |step| {
        let answer = all.answer(step)?;
        let name = match answer.status {
            200..300 => Some("open"),
            status if status == without_key => Some("key_required"),
            400..500 => None,
            _ => return Err(answer.unexpected()),
        };
        Ok((json!(name), answer.sample(answer.body())))
    };
    let steps = [Step::BadgesWithoutKey, Step::SiteWithoutKey];
    steps.into_iter().map(observe).collect()
}

/// Observes the response to `days` above the limit, which is 365 for the own profile.
pub(crate) fn days(all: &Observations) -> Observed {
    let (answer, limit) = match all.answer(Step::Own366) {
        Ok(answer) => (answer, 365),
        Err(_) => (all.answer(Step::Other31)?, 30),
    };
    if answer.is_success() {
        let days = answer.at("/period/days")?;
        let name = (*days == limit).then_some("clamped");
        return answer.observe(name, json!({ "period.days": days }));
    }
    let has_scope = all.require_scope(&Step::UnknownField.call()).is_ok();
    let status = match all.answer(Step::UnknownField) {
        Ok(content) if content.is_rejection() && has_scope => content.status,
        _ => 422,
    };
    named(answer, [(status, "unprocessable"), (400, "bad_request")])
}

/// Returns the statuses and codes that differ from those of the mock.
pub(crate) fn overrides(all: &Observations) -> Found {
    let is_bad_request = content(all).is_ok_and(|observed| observed[0].0 == "bad_request");
    let content = if is_bad_request { 400 } else { 422 };
    let pointer = error_bodies::code_pointer(all);
    let without_scope = step_without_scope(all).ok();
    let (mut found, mut sample, mut seen) = (Map::new(), None, BTreeSet::new());
    for (step, answer) in all.answers().filter(|(_, answer)| answer.is_rejection()) {
        let (code, expected) = match step.mock() {
            _ if Some(step) == without_scope => ("scope_missing", 403),
            Mock::Rejects(code, status) => (code, status),
            Mock::Accepts => continue,
        };
        // The settings of these two statuses.
        let expected = match (code, answer.status) {
            ("out_of_range", 400) => 400,
            ("scope_missing", 401) => 401,
            _ if expected == 422 => content,
            _ => expected,
        };
        let is_refused = |status| matches!(status, 401 | 403);
        if is_refused(answer.status) && !is_refused(expected) || !seen.insert(code) {
            continue;
        }
        let mut different = Map::new();
        if answer.status != expected {
            different.insert("status".to_owned(), answer.status.into());
        }
        let theirs = answer.json.as_ref().zip(pointer.as_ref());
        let theirs = theirs.and_then(|(body, pointer)| body.pointer(pointer));
        if let Some(theirs) = theirs.filter(|theirs| theirs.is_string() && **theirs != code) {
            different.insert("code".to_owned(), theirs.clone());
        }
        if !different.is_empty() {
            found.insert(code.to_owned(), different.into());
            sample.get_or_insert_with(|| answer.sample(answer.body()));
        }
    }
    let base = error_bodies::base(all)?;
    let sample = sample.unwrap_or_else(|| base.sample(base.body()));
    Ok(Finding::values(found, sample))
}
