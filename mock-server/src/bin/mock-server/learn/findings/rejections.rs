//! Findings in rejections and in headers.

use serde_json::{Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

/// Returns the status of a rejection for its content.
pub(in crate::learn) fn content_status(observations: &Observations) -> Result<u16, String> {
    observations.require_scope("profile:write")?;
    let answer = observations.answer(Step::UnknownProfileField)?;
    match answer.is_rejection() {
        true => Ok(answer.status),
        false => Err(format!(
            "PATCH /me/profile with an unknown field returns {}",
            answer.status
        )),
    }
}

pub(in crate::learn) fn content_rejection(observations: &Observations) -> Found {
    let status = content_status(observations)?;
    let answer = observations.answer(Step::UnknownProfileField)?;
    let learned = match status {
        422 => Some("unprocessable"),
        400 => Some("bad_request"),
        _ => None,
    };
    Ok(Finding::learned(learned, answer.body_sample()))
}

pub(in crate::learn) fn scope_rejection(observations: &Observations) -> Found {
    let needs = [
        ("analytics:read", Step::Analytics),
        ("profile:write", Step::UnknownProfileField),
    ];
    let lacking = needs
        .iter()
        .find(|(scope, _)| observations.require_scope(scope).is_err());
    observations.scopes()?;
    let (_, step) = lacking.ok_or("needs a key without analytics:read or profile:write")?;
    let answer = observations.answer(*step)?;
    let learned = match answer.status {
        403 => Some("forbidden"),
        401 => Some("unauthorized"),
        _ => None,
    };
    Ok(Finding::learned(learned, answer.body_sample()))
}

pub(in crate::learn) fn reference_data(observations: &Observations) -> Found {
    let badges = observations.answer(Step::BadgesWithoutKey)?;
    let site = observations.answer(Step::SiteWithoutKey)?;
    let learned = match (badges.status, site.status) {
        (200..300, 200..300) => Some("open"),
        (401, 401) => Some("key_required"),
        _ => None,
    };
    let statuses = json!({ "GET /badges": badges.status, "GET /stats": site.status });
    Ok(badges.learned(learned, statuses))
}

pub(in crate::learn) fn error_body(observations: &Observations) -> Found {
    let rejections = observations.answers().map(|(_, answer)| answer);
    let rejections: Vec<_> = rejections.filter(|answer| answer.is_rejection()).collect();
    let first = rejections.first().ok_or("no request was rejected")?;
    let shape = shape(first);
    let other = rejections.iter().find(|one| self::shape(one) != shape);
    match other {
        Some(other) => Ok(Finding::Outside {
            sample: other.body_sample(),
        }),
        None => Ok(Finding::learned(shape, first.body_sample())),
    }
}

/// Returns the shape of the body of a rejection.
fn shape(answer: &Answer) -> Option<&'static str> {
    if answer.text.is_empty() {
        return Some("empty");
    }
    match answer.content_type() {
        "text/plain" => return Some("plain_text"),
        "text/html" => return Some("html"),
        _ => {}
    }
    let body = answer.json.as_ref()?.as_object()?;
    let is_problem = answer.content_type() == "application/problem+json";
    match body.get("error") {
        _ if is_problem
            && has_only(
                body,
                &["type", "title", "status", "detail", "code", "field"],
            ) =>
        {
            Some("problem_details")
        }
        Some(Value::Object(error)) if body.len() == 1 && is_error(error) => Some("nested"),
        None if is_error(body) => Some("flat"),
        None if has_only(body, &["detail"]) && body["detail"].is_string() => Some("detail"),
        _ => None,
    }
}

fn is_error(object: &serde_json::Map<String, Value>) -> bool {
    let is_text = |name: &str| object.get(name).is_some_and(Value::is_string);
    is_text("code") && is_text("message") && has_only(object, &["code", "message", "field"])
}

fn has_only(object: &serde_json::Map<String, Value>, names: &[&str]) -> bool {
    object.keys().all(|name| names.contains(&name.as_str()))
}

pub(in crate::learn) fn compression(observations: &Observations) -> Found {
    let mut answers = observations.answers().map(|(_, answer)| answer);
    let (me, coding) = (observations.answer(Step::Me)?, "content-encoding");
    let compressed = answers.find(|answer| answer.header(coding).is_some());
    Ok(match compressed {
        None => me.learned("none", json!({ coding: null })),
        Some(answer) => {
            let found = answer.header(coding);
            let learned = found.filter(|coding| *coding == "gzip");
            answer.learned(learned, json!({ coding: found }))
        }
    })
}

/// The statuses of rejections for which the mock has no setting.
pub(in crate::learn) fn statuses(observations: &Observations) -> Found {
    const EXPECTED: [(Step, u16); 5] = [
        (Step::WithoutKey, 401),
        (Step::WrongKey, 401),
        (Step::WrongMethod, 405),
        (Step::UnknownPath, 404),
        (Step::UnknownHandle, 404),
    ];
    let mut last = None;
    for (step, status) in EXPECTED {
        let answer = observations.answer(step)?;
        if answer.status != status {
            return Ok(Finding::Outside {
                sample: answer.body_sample(),
            });
        }
        last = Some(answer);
    }
    let last = last.ok_or("no request was rejected")?;
    Ok(Finding::AsTheMock {
        sample: last.body_sample(),
    })
}
