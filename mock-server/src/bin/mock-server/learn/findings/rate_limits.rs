//! Values about the rate limit, which is never exceeded on purpose.

use serde_json::{Map, Value, json};

use crate::learn::finding::{Finding, Found, Observed};
use crate::learn::observations::Observations;
use crate::learn::requests::Step;

/// Observes which headers there are.
pub(crate) fn rejection(all: &Observations) -> Observed {
    let me = all.answer(Step::Me)?;
    let has_headers = !me.rate_limit_headers().is_empty();
    let (answer, has_retry_after) = match &all.rate_limited {
        None if !me.any_rate_limit_headers().is_empty() || has_headers => {
            return Err("needs a 429".to_owned());
        }
        None => (me, false),
        Some(answer) => (answer, answer.header("retry-after").is_some()),
    };
    let name = match (has_headers, has_retry_after) {
        (true, true) => Some("too_many_requests"),
        (false, false) => Some("without_headers"),
        _ => None,
    };
    answer.observe(
        name,
        json!({ "RateLimit": has_headers, "Retry-After": has_retry_after }),
    )
}

/// Observes the names of the headers, if they have a setting.
pub(crate) fn headers(all: &Observations) -> Observed {
    let me = all.answer(Step::Me)?;
    let names = me.rate_limit_headers();
    match names.get("remaining").map(String::as_str) {
        Some("ratelimit-remaining") => me.observe("rate_limit", json!(names)),
        Some("x-ratelimit-remaining") => me.observe("x_rate_limit", json!(names)),
        _ if !names.is_empty() => Err("other names; see rate_limit_header_names".to_owned()),
        _ => match me.any_rate_limit_headers() {
            others if others.is_empty() => Err(NO_HEADERS.to_owned()),
            others => me.observe(Value::Null, json!(others)),
        },
    }
}

const NO_HEADERS: &str = "GET /me has no separate headers about the rate limit";

/// Returns the names of headers that have no setting of their own.
pub(crate) fn header_names(all: &Observations) -> Found {
    let me = all.answer(Step::Me)?;
    let names = me.rate_limit_headers();
    let sample = me.sample(json!(names));
    if names.is_empty() {
        return Err(NO_HEADERS.to_owned());
    }
    let is_known = |(part, name): (&&str, &String)| {
        let prefix = name.strip_suffix(*part);
        matches!(prefix, Some("ratelimit-" | "x-ratelimit-"))
    };
    let is_known = names.len() == 3 && names.iter().all(is_known);
    let names = names.into_iter().filter(|_| !is_known);
    let names = names.map(|(part, name)| (part.to_owned(), json!(name)));
    Ok(Finding::values(Map::from_iter(names), sample))
}

pub(crate) fn reset(all: &Observations) -> Observed {
    let me = all.answer(Step::Me)?;
    let name = me.rate_limit_headers().remove("reset");
    let name = name.ok_or("GET /me has no separate header with the reset of the rate limit")?;
    let reset = me.header(&name);
    me.observe(reset, json!({ name: reset }))
}

pub(crate) fn retry_after(all: &Observations) -> Observed {
    let answer = all.rate_limited.as_ref().ok_or("needs a 429")?;
    let value = answer.header("retry-after");
    let value = value.ok_or("the 429 has no Retry-After")?;
    answer.observe(value, json!({ "retry-after": value }))
}

/// Parses a header.
pub(crate) fn number(value: &Value) -> Option<u64> {
    value.as_str()?.trim().parse().ok()
}
