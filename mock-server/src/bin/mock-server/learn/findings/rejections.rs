//! Findings in rejections and in headers.

use serde_json::{Map, json};

use super::error_bodies;
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
        _ => return Err("see rejections".to_owned()),
    };
    Ok(Finding::learned(learned, answer.body_sample()))
}

/// Returns a request for which the key lacks the scope.
fn step_without_scope(observations: &Observations) -> Result<Step, String> {
    let needs = [
        ("analytics:read", Step::Analytics),
        ("profile:write", Step::UnknownProfileField),
    ];
    observations.scopes()?;
    let mut needs = needs.into_iter();
    let lacking = needs.find(|(scope, _)| observations.require_scope(scope).is_err());
    let lacking = lacking.ok_or("needs a key without analytics:read or profile:write")?;
    Ok(lacking.1)
}

pub(in crate::learn) fn scope_rejection(observations: &Observations) -> Found {
    let answer = observations.answer(step_without_scope(observations)?)?;
    let learned = match answer.status {
        403 => "forbidden",
        401 => "unauthorized",
        400..500 => return Err("see rejections".to_owned()),
        _ => return Err(answer.unexpected()),
    };
    Ok(Finding::learned(Some(learned), answer.body_sample()))
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

/// The rejection of a request, and the code and the status of the mock. The status is 0 where it depends
/// on the dialect.
const REJECTIONS: [(Step, &str, u16); 19] = [
    (Step::WithoutKey, "key_missing", 401),
    (Step::WrongKey, "key_invalid", 401),
    (Step::WrongMethod, "method_not_allowed", 405),
    (Step::UnknownPath, "unknown_path", 404),
    (Step::UnknownHandle, "unknown_handle", 404),
    (Step::OwnStatistics(Some(366)), "out_of_range", 0),
    (Step::UnknownProfileField, "unknown_field", 0),
    (Step::LocationNumber, "wrong_type", 0),
    (Step::Location41, "too_many_characters", 0),
    (Step::BioElevenLines, "too_many_lines", 0),
    (Step::ColorShort, "not_a_color", 0),
    (Step::LocationRepeated, "repeated_field", 400),
    (Step::NotAnObject, "not_a_json_object", 400),
    (Step::WrongContentType, "wrong_content_type", 415),
    (Step::CreateLinkWithoutUrl, "missing_field", 0),
    (Step::EditLinkRelativeUrl, "not_a_url", 0),
    (Step::EditLinkEmpty, "empty_edit", 0),
    (Step::DeleteLinkAgain, "unknown_link", 404),
    (Step::DeletePostAgain, "unknown_post", 404),
];

/// The statuses of the mock that depend on the dialect.
struct Statuses {
    content: u16,
    days: u16,
    scope: u16,
}

impl Statuses {
    fn learned(observations: &Observations) -> Self {
        let is_learned = |found: Found, expected: &str| matches!(found, Ok(Finding::Learned { value, .. }) if value == expected);
        let is_bad_request = is_learned(content_rejection(observations), "bad_request");
        let content = if is_bad_request { 400 } else { 422 };
        let days = super::statistics::days_out_of_range(observations);
        let scope = is_learned(scope_rejection(observations), "unauthorized");
        Self {
            content,
            days: if is_learned(days, "bad_request") {
                400
            } else {
                content
            },
            scope: if scope { 401 } else { 403 },
        }
    }

    fn of(&self, code: &str, status: u16) -> u16 {
        match (status, code) {
            (0, "out_of_range") => self.days,
            (0, "scope_missing") => self.scope,
            (0, _) => self.content,
            _ => status,
        }
    }
}

/// Returns the statuses and codes that differ from those of the mock.
pub(in crate::learn) fn overrides(observations: &Observations) -> Found {
    let statuses = Statuses::learned(observations);
    let pointer = error_bodies::code_pointer(observations);
    let without_scope = step_without_scope(observations).ok();
    let scope_missing = without_scope.map(|step| (step, "scope_missing", 0));
    let rows = REJECTIONS.into_iter();
    let rows = rows
        .filter(|(step, ..)| Some(*step) != without_scope)
        .chain(scope_missing);
    let (mut found, mut sample) = (Map::new(), None);
    for (step, code, status) in rows {
        let expected = statuses.of(code, status);
        let answer = observations.answer(step).ok();
        let is_refused = |status| matches!(status, 401 | 403);
        let is_about_content = |answer: &&Answer| {
            answer.is_rejection() && (is_refused(expected) || !is_refused(answer.status))
        };
        let Some(answer) = answer.filter(is_about_content) else {
            continue;
        };
        let mut different = Map::new();
        if answer.status != expected {
            different.insert("status".to_owned(), answer.status.into());
        }
        let theirs = pointer
            .as_ref()
            .and_then(|pointer| answer.json.as_ref()?.pointer(pointer));
        if let Some(theirs) = theirs.filter(|theirs| theirs.is_string() && **theirs != code) {
            different.insert("code".to_owned(), theirs.clone());
        }
        if !different.is_empty() {
            found.insert(code.to_owned(), different.into());
            sample.get_or_insert_with(|| answer.body_sample());
        }
    }
    let me = observations.answer(Step::Me)?;
    let sample = sample.unwrap_or_else(|| me.sample("statuses and codes of all rejections"));
    Ok(Finding::learned_fields(found, sample))
}
