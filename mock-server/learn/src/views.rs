//! The parts of a response that answer a question. The mock and the service do the same if these parts
//! of their responses are equal. `None` means that the response does not show it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::observations::{KINDS, id};
use crate::requests::URL;
use crate::response::{Answer, map_members, pick};
use crate::service::MIN_UNIX_TIME;

/// A part of a response.
pub(crate) type View = fn(&Answer) -> Option<Value>;

/// Returns the names and JSON types in a value. The elements of an array count as one if they are equal.
pub(crate) fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => json!("boolean"),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("string"),
        Value::Array(all) => {
            let mut shapes = Vec::new();
            for one in all.iter().map(shape) {
                if !shapes.contains(&one) {
                    shapes.push(one);
                }
            }
            shapes.into()
        }
        Value::Object(_) => map_members(value, shape),
    }
}

/// Returns the names of the members of an object, which these are a selection of.
fn names(object: &Value, names: &[&str]) -> Option<Value> {
    let picked = pick(object, names)?;
    Some(picked.keys().map(String::as_str).collect())
}

pub(crate) fn api_visible(me: &Answer) -> Option<Value> {
    Some(match me.at("/api_visible")? {
        Value::Bool(_) => json!("boolean"),
        number if *number == 0 || *number == 1 => json!("integer"),
        text if text == "true" || text == "false" => json!("string"),
        other => other.clone(),
    })
}

pub(crate) fn key_object(me: &Answer) -> Option<Value> {
    let key = me.at("/key")?;
    let extra = pick(key, &["name", "owner"]).map(Value::Object);
    Some(shape(&extra.unwrap_or_default()))
}

/// Returns the scopes of the key, which may be an array or a string.
pub(crate) fn scopes(me: &Answer) -> Vec<&str> {
    match me.at("/key/scopes") {
        Some(Value::Array(scopes)) => scopes.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => {
            let scopes = text.split(|c: char| !c.is_alphanumeric() && !":_-.".contains(c));
            scopes.filter(|scope| !scope.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the separator of the scopes. A string with a single scope does not show it.
pub(crate) fn key_scopes(me: &Answer) -> Option<Value> {
    let given = me.at("/key/scopes")?;
    let Value::String(text) = given else {
        return Some(json!({ "is an array": given.is_array() }));
    };
    let scopes = scopes(me);
    let [first, second, ..] = scopes[..] else {
        return None;
    };
    let between = text.split_once(first)?.1.split_once(second)?.0;
    Some(json!({ "separator": between }))
}

pub(crate) fn key_rate_limit(me: &Answer) -> Option<Value> {
    me.at("/key/rate_limit").map(shape)
}

pub(crate) fn me_fields(me: &Answer) -> Option<Value> {
    names(me.at("")?, &["handle", "links", "posts", "badges"])
}

/// Returns a value for the links and posts in a response, or all if they differ.
fn resources(answer: &Answer, view: fn(&Value) -> Value) -> Option<Value> {
    let lists = KINDS.into_iter().filter_map(|kind| kind.listed(answer));
    let one = answer.at("").filter(|data| data.get("id").is_some());
    let one = one.filter(|data| data.get("handle").is_none());
    let mut views: Vec<_> = lists.flatten().chain(one).map(view).collect();
    views.dedup();
    match views.len() {
        0 => None,
        1 => views.pop(),
        _ => Some(views.into()),
    }
}

pub(crate) fn ids(answer: &Answer) -> Option<Value> {
    resources(answer, |one| match one.get("id") {
        Some(Value::String(id)) if is_uuid(id) => json!("uuid"),
        Some(Value::String(text)) if id(one).as_ref() != Some(text) => json!("encoded in paths"),
        Some(Value::String(_)) => json!("string"),
        _ if id(one).is_some_and(|id| id.parse::<u64>().is_ok()) => json!("integer"),
        _ => json!("other"),
    })
}

fn is_uuid(id: &str) -> bool {
    let is_digit = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
    id.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && id.bytes().all(is_digit)
}

pub(crate) fn resource_fields(answer: &Answer) -> Option<Value> {
    resources(answer, |one| {
        let metadata = one.get("metadata");
        let metadata = metadata.and_then(|metadata| names(metadata, &["source", "tags"]));
        json!({ "created_at": shape(&one["created_at"]), "metadata": metadata })
    })
}

/// Returns the URLs of links that are the one that was sent, after parsing.
pub(crate) fn link_urls(answer: &Answer) -> Option<Value> {
    let listed = answer.at("/links").and_then(Value::as_array);
    let links = listed.into_iter().flatten().chain(answer.at(""));
    let urls = links.filter_map(|link| link.get("url")?.as_str());
    let urls = urls.filter(|url| url.trim_end_matches('/') == URL);
    let urls: Vec<_> = urls.collect();
    (!urls.is_empty()).then(|| json!(urls))
}

/// Returns the shape of the response to a successful write; for any resource, just `resource`.
pub(crate) fn write_response(answer: &Answer) -> Option<Value> {
    let body = answer.is_success().then(|| answer.body())?;
    let is_resource = body["data"].as_object().is_some_and(|one| !one.is_empty());
    Some(match is_resource {
        true => json!("resource"),
        false if answer.text.is_empty() => json!("empty"),
        false => shape(&body),
    })
}

/// Returns the decision about the content of a request. Other reasons for a rejection do not count.
pub(crate) fn accepted(answer: &Answer) -> Option<Value> {
    match answer.status {
        401 | 403 | 404 | 429 => None,
        400..500 => Some(json!("rejected")),
        _ => answer.is_success().then(|| json!("accepted")),
    }
}

/// Returns the decision about a request without a key.
pub(crate) fn open(answer: &Answer) -> Option<Value> {
    let is_shown = answer.is_success() || answer.is_rejection();
    is_shown.then(|| json!({ "accepted": answer.is_success() }))
}

pub(crate) fn analytics(answer: &Answer) -> Option<Value> {
    #[rustfmt::skip]
    let known = ["views", "likes", "social", "followers", "following", "comments"];
    let counts = pick(answer.at("")?, &known)?;
    Some(shape(&counts.into()))
}

pub(crate) fn badge_kinds(answer: &Answer) -> Option<Value> {
    let badges = answer.at("")?.as_array()?.iter();
    let kinds = badges.filter_map(|badge| badge.get("kind")?.as_str());
    let kinds: BTreeSet<_> = kinds.collect();
    (!kinds.is_empty()).then(|| json!({ "only auto": kinds == ["auto"].into() }))
}

pub(crate) fn other_statistics(answer: &Answer) -> Option<Value> {
    pick(answer.at("")?, &["devices", "countries"]).map(Value::Object)
}

/// Observes a key without scopes.
pub(crate) fn without_scopes(me: &Answer) -> Option<Value> {
    let is_empty = me.at("/key/scopes")?.is_array() && scopes(me).is_empty();
    is_empty.then(|| json!({ "scopes": [] }))
}

/// Returns the status of a rejection.
pub(crate) fn status(answer: &Answer) -> Option<Value> {
    answer.is_rejection().then(|| json!(answer.status))
}

/// Returns the status of a rejection because of the key.
pub(crate) fn refusal(answer: &Answer) -> Option<Value> {
    matches!(answer.status, 401 | 403).then(|| json!(answer.status))
}

/// Returns the status of a rejection, or the days of the statistics.
pub(crate) fn days(answer: &Answer) -> Option<Value> {
    let period = || answer.at("/period/days");
    status(answer).or_else(|| Some(json!({ "period.days": period()? })))
}

/// Returns the type and the shape of the body of a rejection.
pub(crate) fn error_body(answer: &Answer) -> Option<Value> {
    let body = match &answer.json {
        Some(json) => shape(json),
        None if answer.content_type() == "text/html" => json!(answer.text),
        None => json!({ "is empty": answer.text.is_empty() }),
    };
    let content_type = answer.content_type();
    Some(json!({ "content-type": content_type, "body": body }))
}

/// Returns which headers about the rate limit there are, in a response with 429 or any other one.
pub(crate) fn rate_limit(answer: &Answer) -> Option<Value> {
    if matches!(answer.status, 429 | 503) {
        let retry_after = answer.header("retry-after").is_some();
        return Some(json!({ "status": answer.status, "Retry-After": retry_after }));
    }
    Some(json!({ "RateLimit": rate_limit_headers(answer).is_some() }))
}

pub(crate) fn rate_limit_headers(answer: &Answer) -> Option<Value> {
    let names = answer.rate_limit_headers();
    if !names.is_empty() {
        return Some(json!(names));
    }
    let others = answer.any_rate_limit_headers();
    (!others.is_empty()).then(|| json!(others))
}

pub(crate) fn rate_limit_reset(answer: &Answer) -> Option<Value> {
    let name = answer.rate_limit_headers().remove("reset")?;
    let reset = answer.header(&name)?.trim().parse::<u64>();
    let is_unix_time = reset.map(|reset| reset >= MIN_UNIX_TIME);
    Some(json!({ "is Unix time": is_unix_time.ok() }))
}

pub(crate) fn retry_after(answer: &Answer) -> Option<Value> {
    let value = answer.header("retry-after")?;
    let is_number = value.trim().parse::<u64>().is_ok();
    Some(json!({ "is a number": is_number }))
}
