//! Findings in view statistics.

use serde_json::{Value, json};

use super::rejections;
use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

pub(in crate::learn) fn other_statistics(observations: &Observations) -> Found {
    let answer = observations.answer(Step::OtherStatistics(Some(1)))?;
    let data = answer.object()?;
    let fields = [data.get("devices"), data.get("countries")];
    let is_empty = |value: &Value| match value {
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let learned = match fields {
        [None, None] => Some("omitted"),
        [Some(Value::Null), Some(Value::Null)] => Some("null"),
        [Some(devices), Some(countries)]
            if devices.is_object() && is_empty(devices) && is_empty(countries) =>
        {
            Some("empty")
        }
        _ => None,
    };
    Ok(answer.learned(
        learned,
        json!({ "devices": fields[0], "countries": fields[1] }),
    ))
}

/// Returns the response to a value of `days` above the limit, with the limit.
fn out_of_range(observations: &Observations) -> Result<(&Answer, u16), String> {
    let own = observations.answer(Step::OwnStatistics(Some(366)));
    let own = own.map(|answer| (answer, 365));
    own.or_else(|reason| {
        let other = observations.answer(Step::OtherStatistics(Some(31)));
        other
            .map(|answer| (answer, 30))
            .map_err(|other| match reason == other {
                true => reason,
                false => format!("{reason}, and {other}"),
            })
    })
}

pub(in crate::learn) fn days_out_of_range(observations: &Observations) -> Found {
    let (answer, limit) = out_of_range(observations)?;
    if answer.is_success() {
        let days = answer
            .object()?
            .get("period")
            .and_then(|period| period.get("days"));
        let is_clamped = days.and_then(Value::as_u64) == Some(u64::from(limit));
        let learned = is_clamped.then_some("clamped");
        return Ok(answer.learned(learned, json!({ "period.days": days })));
    }
    let content = rejections::content_status(observations).ok();
    let learned = match (answer.status, content) {
        (status, Some(content)) if status == content => Some("unprocessable"),
        (422, None) => Some("unprocessable"),
        (400, _) => Some("bad_request"),
        _ => None,
    };
    match learned {
        Some(_) => Ok(Finding::learned(learned, answer.body_sample())),
        None if answer.is_rejection() => Err("see rejections".to_owned()),
        None => Err(answer.unexpected()),
    }
}
