//! Findings about the rate limit, which is never exceeded on purpose.

use serde_json::json;

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

/// The prefixes of the names of headers, with the setting.
const PREFIXES: [(&str, &str); 2] = [
    ("ratelimit-", "rate_limit"),
    ("x-ratelimit-", "x_rate_limit"),
];

/// A reset in more seconds than this is a Unix time.
const MIN_UNIX_TIME: u64 = 1_000_000_000;

/// Returns the prefix of the headers of a response, and the setting.
fn headers(answer: &Answer) -> Option<(&'static str, &'static str)> {
    let has = |prefix: &str| answer.header(&format!("{prefix}limit")).is_some();
    PREFIXES.into_iter().find(|(prefix, _)| has(prefix))
}

pub(in crate::learn) fn rejection(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let has_headers = headers(me).is_some();
    let Some(answer) = &observations.rate_limited else {
        return match has_headers {
            true => Err("needs a 429".to_owned()),
            false => Ok(me.learned("without_headers", json!("no RateLimit headers"))),
        };
    };
    let learned = match (answer.header("retry-after").is_some(), has_headers) {
        (true, true) => Some("too_many_requests"),
        (false, false) => Some("without_headers"),
        _ => None,
    };
    Ok(Finding::learned(learned, answer.body_sample()))
}

pub(in crate::learn) fn header_names(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let (prefix, learned) = headers(me).ok_or("GET /me has no RateLimit headers")?;
    Ok(me.learned(learned, format!("{prefix}limit")))
}

pub(in crate::learn) fn reset(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let (prefix, _) = headers(me).ok_or("GET /me has no RateLimit headers")?;
    let name = format!("{prefix}reset");
    let reset = me
        .header(&name)
        .ok_or_else(|| format!("GET /me has no header {name}"))?;
    let learned = match reset.parse::<u64>() {
        Ok(MIN_UNIX_TIME..) => Some("unix_time"),
        Ok(_) => Some("seconds"),
        Err(_) => None,
    };
    Ok(me.learned(learned, json!({ name: reset })))
}

pub(in crate::learn) fn retry_after(observations: &Observations) -> Found {
    let answer = observations.rate_limited.as_ref().ok_or("needs a 429")?;
    let value = answer
        .header("retry-after")
        .ok_or("the 429 has no Retry-After")?;
    let is_seconds = value.bytes().all(|digit| digit.is_ascii_digit());
    let learned = if is_seconds { "seconds" } else { "date" };
    Ok(answer.learned(learned, json!({ "retry-after": value })))
}
