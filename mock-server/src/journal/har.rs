//! Recorded requests as an HTTP Archive (HAR 1.2), which browsers and API clients open.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::entry::RecordedRequest;

/// The name of a world, and its requests.
pub(crate) type WorldRequests = (String, Vec<RecordedRequest>);

/// Returns an archive of the requests of worlds. A body that was cut is shorter than its size.
pub(crate) fn archive(worlds: &[WorldRequests]) -> Value {
    let entries = worlds
        .iter()
        .flat_map(|(world, requests)| requests.iter().map(|recorded| entry(world, recorded)));
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "mock-server", "version": env!("CARGO_PKG_VERSION")},
        "entries": entries.collect::<Vec<_>>(),
    }})
}

/// Returns an entry. Names that begin with `_` are not part of the format.
fn entry(world: &str, recorded: &RecordedRequest) -> Value {
    let fault = recorded.fault.iter().map(|fault| format!("fault: {fault}"));
    let violations = recorded.violations.iter().map(ToString::to_string);
    let comments: Vec<_> = fault.chain(violations).collect();
    json!({
        "startedDateTime": recorded.at,
        "time": 0,
        "request": request(recorded),
        "response": response(recorded),
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
        "comment": comments.join("\n"),
        "_world": world,
        "_key": recorded.key,
        "_outcome": recorded.outcome,
        "_fault": recorded.fault,
        "_violations": recorded.violations,
        "_cross_origin": recorded.cross_origin,
    })
}

fn request(recorded: &RecordedRequest) -> Value {
    let query = recorded.query.as_deref();
    let host = value_of(&recorded.headers, "host").unwrap_or("localhost");
    let target = query.map_or_else(String::new, |query| format!("?{query}"));
    let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let mut request = json!({
        "method": recorded.method,
        "url": format!("http://{host}{}{target}", recorded.path),
        "httpVersion": "HTTP/1.1",
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
        "httpVersion": "HTTP/1.1",
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
