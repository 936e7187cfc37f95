//! Findings about the rate limit, which is never exceeded on purpose.

use serde_json::{Map, Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

/// The prefixes of the names of headers that have a setting.
const PREFIXES: [(&str, &str); 2] = [
    ("ratelimit-", "rate_limit"),
    ("x-ratelimit-", "x_rate_limit"),
];

/// A reset in more seconds than this is a Unix time.
const MIN_UNIX_TIME: u64 = 1_000_000_000;

/// Returns the prefix of the headers of a response.
fn prefix(answer: &Answer) -> Option<String> {
    let has = |prefix: &&str| answer.header(&format!("{prefix}limit")).is_some();
    let known = PREFIXES
        .iter()
        .map(|(prefix, _)| *prefix)
        .find(has)
        .map(str::to_owned);
    known.or_else(|| {
        let mut names = answer
            .header_names()
            .filter(|name| answer.header(name).is_some_and(is_number));
        let name = names.find(|name| name.ends_with("-remaining"))?;
        Some(name.trim_end_matches("remaining").to_owned())
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

pub(in crate::learn) fn rejection(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let has_headers = prefix(me).is_some();
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

pub(in crate::learn) fn headers(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let prefix = prefix(me).ok_or("GET /me has no RateLimit headers")?;
    let known = PREFIXES.iter().find(|(known, _)| *known == prefix);
    let (_, learned) = known.ok_or("see rate_limit_header_names")?;
    Ok(me.learned(*learned, format!("{prefix}limit")))
}

/// Returns the names of headers that have no setting of their own.
pub(in crate::learn) fn header_names(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let prefix = prefix(me).ok_or("GET /me has no RateLimit headers")?;
    let names = ["limit", "remaining", "reset"].map(|part| (part, format!("{prefix}{part}")));
    let names = names
        .into_iter()
        .filter(|(_, name)| me.header(name).is_some());
    let mut names: Map<_, Value> = names
        .map(|(part, name)| (part.to_owned(), name.into()))
        .collect();
    let sample = me.sample(names.clone());
    if names.len() == 3 && PREFIXES.iter().any(|(known, _)| *known == prefix) {
        names.clear();
    }
    Ok(Finding::learned_fields(names, sample))
}

pub(in crate::learn) fn reset(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let name = prefix(me).ok_or("GET /me has no RateLimit headers")? + "reset";
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
