//! Recorded requests as an HTTP Archive (HAR 1.2), which browsers and API clients open.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::uri::Authority;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::entry::RecordedRequest;

/// The name of a world, its requests, and the number of those that were dropped.
pub(crate) type WorldRequests = (String, Vec<RecordedRequest>, u64);

/// Returns an archive of the requests of worlds in the order of time. `url` is that of the server, for requests
/// without a host.
pub(crate) fn archive(worlds: &[WorldRequests], url: &str) -> Value {
    let mut entries: Vec<_> = worlds
        .iter()
        .flat_map(|(world, requests, _)| requests.iter().map(move |recorded| (world, recorded)))
        .collect();
    entries.sort_by_key(|(_, recorded)| recorded.instant);
    let entries = entries.into_iter();
    let entries = entries.map(|(world, recorded)| entry(world, recorded, url));
    let mut log = json!({
        "version": "1.2",
        "creator": {"name": "mock-server", "version": env!("CARGO_PKG_VERSION")},
        "entries": entries.collect::<Vec<_>>(),
    });
    if let Some(dropped) = dropped(worlds.iter().map(|(_, _, dropped)| dropped).sum()) {
        log["comment"] = format!("incomplete: {dropped}").into();
    }
    json!({"log": log})
}

/// Returns a sentence about the requests that a journal has dropped, if any.
pub(super) fn dropped(count: u64) -> Option<String> {
    let plural = if count == 1 { "" } else { "s" };
    let sentence =
        || format!("the journal dropped {count} older request{plural}; raise its limits");
    (count > 0).then(sentence)
}

/// Returns an entry. Names that begin with `_` are not part of the format.
fn entry(world: &str, recorded: &RecordedRequest, server: &str) -> Value {
    let fault = recorded.fault.iter().map(|fault| format!("fault: {fault}"));
    let violations = recorded.violations.iter().map(ToString::to_string);
    let cut = [
        ("request", recorded.is_body_truncated),
        ("response", recorded.is_response_truncated),
    ];
    let cut = cut.iter().filter(|(_, is_cut)| *is_cut);
    let cut =
        cut.map(|(what, _)| format!("the body of the {what} was cut; raise --journal-body-bytes"));
    let comments: Vec<_> = fault.chain(violations).chain(cut).collect();
    let url = url(recorded, server);
    // Otherwise the URL contains it.
    let is_odd = !recorded.target.starts_with('/') && recorded.target != url;
    json!({
        "startedDateTime": recorded.at,
        "time": 0,
        "request": request(recorded, url),
        "response": response(recorded),
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
        "comment": comments.join("\n"),
        "_world": world,
        "_target": is_odd.then_some(&recorded.target),
        "_key": recorded.key,
        "_outcome": recorded.outcome,
        "_fault": recorded.fault,
        "_violations": recorded.violations,
        "_cross_origin": recorded.cross_origin,
    })
}

/// Returns an absolute URL, since readers of archives know no other form.
fn url(recorded: &RecordedRequest, server: &str) -> String {
    let target = &*recorded.target;
    let path = match target.split_once("://") {
        _ if target.starts_with('/') => target,
        Some((_, rest)) => rest.find('/').map_or("/", |start| &rest[start..]),
        None if target == "*" => "/",
        // CONNECT has only a host and a port.
        None => return format!("http://{target}/"),
    };
    let host = value_of(&recorded.headers, "host").unwrap_or_default();
    match host.parse::<Authority>() {
        Ok(_) => format!("http://{host}{path}"),
        Err(_) => format!("{server}{path}"),
    }
}

fn request(recorded: &RecordedRequest, url: String) -> Value {
    let query = recorded.query.as_deref().unwrap_or_default();
    let parameters = form_urlencoded::parse(query.as_bytes());
    let mut request = json!({
        "method": recorded.method,
        "url": url,
        "httpVersion": format!("{:?}", recorded.version),
        "cookies": [],
        "headers": pairs(recorded.headers.iter().cloned()),
        "queryString": pairs(parameters.into_owned()),
        "headersSize": -1,
        "bodySize": recorded.body_length,
    });
    if recorded.body_length > 0 {
        let (text, encoding) = text(&recorded.body);
        request["postData"] = json!({
            "mimeType": value_of(&recorded.headers, "content-type").unwrap_or_default(),
            "params": [],
            "text": text,
        });
        // Only responses have an encoding in the format.
        if let Some(encoding) = encoding {
            request["postData"]["_encoding"] = encoding.into();
        }
    }
    request
}

/// Returns the response; without one, the status is 0, as in the archives of browsers.
fn response(recorded: &RecordedRequest) -> Value {
    let status = recorded.status.unwrap_or_default();
    let reason = StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason());
    let (text, encoding) = text(&recorded.response_body);
    let headers = &recorded.response_headers;
    let mut response = json!({
        "status": status,
        "statusText": reason.unwrap_or_default(),
        "httpVersion": format!("{:?}", recorded.version),
        "cookies": [],
        "headers": pairs(headers.iter().cloned()),
        "content": {
            "size": recorded.response_body_length,
            "mimeType": value_of(headers, "content-type").unwrap_or_default(),
            "text": text,
        },
        "redirectURL": value_of(headers, "location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": -1,
    });
    if let Some(encoding) = encoding {
        response["content"]["encoding"] = encoding.into();
    }
    response
}

fn pairs(pairs: impl Iterator<Item = (String, String)>) -> Vec<Value> {
    pairs
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect()
}

fn value_of<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(given, _)| given == name);
    found.map(|(_, value)| value.as_str())
}

/// Returns a body as text, and its encoding if it is not UTF-8.
fn text(body: &[u8]) -> (String, Option<&'static str>) {
    match std::str::from_utf8(body) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (STANDARD.encode(body), Some("base64")),
    }
}
