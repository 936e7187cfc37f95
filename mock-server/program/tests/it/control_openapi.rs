//! The OpenAPI document of the control API matches the requests and responses of the program.

use std::collections::BTreeSet;

use mock_server::{Fault, WireFault};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schema::{CONTROL_DOCUMENT, schema_error_in};
use crate::serving::{Serving, serve};

const NOTHING: Value = Value::Null;

/// Sends a request and checks that its body and the response match the document. `line` is a method
/// and a path of the document.
#[track_caller]
fn order(serving: &Serving, status: u16, line: &str, body: Value) -> Value {
    let document = &*CONTROL_DOCUMENT;
    let (method, path) = line.split_once(' ').unwrap();
    let operation = format!("/paths/~1_mock~1v1{}", path.replace('/', "~1"));
    let operation = format!("{operation}/{}", method.to_lowercase());
    if body != NOTHING {
        let place = format!("{operation}/requestBody/content/application~1json/schema");
        let schema_error = schema_error_in(document, &body, &place);
        assert_eq!(
            schema_error.is_none(),
            status != 400,
            "{line} {body}: {schema_error:?}"
        );
    }
    let answer = serving.order(status, &line.replace("{world}", "default"), body);
    let mut place = format!("{operation}/responses/{status}");
    let documented = document.pointer(&place);
    let documented = documented.unwrap_or_else(|| panic!("{line} documents no {status}"));
    if let Some(reference) = documented.get("$ref") {
        place = reference.as_str().unwrap()[1..].to_owned();
    }
    let content = document.pointer(&format!("{place}/content"));
    assert_eq!(content.is_none(), answer == NOTHING, "{line}: {answer}");
    if content.is_some() {
        let place = format!("{place}/content/application~1json/schema");
        assert_eq!(
            schema_error_in(document, &answer, &place),
            None,
            "{line}: {answer}"
        );
    }
    answer
}

fn of_world(line: &str) -> String {
    line.replacen(' ', " /worlds/{world}", 1)
}

#[test]
fn worlds_match_the_document() {
    let serving = serve(&[]);
    order(&serving, 200, "GET /health", NOTHING);
    order(&serving, 200, "GET /openapi.json", NOTHING);
    order(&serving, 200, "GET /control-openapi.json", NOTHING);
    order(&serving, 200, "GET /dialect-settings", NOTHING);
    order(
        &serving,
        201,
        "POST /worlds",
        json!({"seed": 7, "dialect": {"ids": "integer"}}),
    );
    order(&serving, 200, "GET /worlds", NOTHING);
    order(
        &serving,
        422,
        "POST /worlds",
        json!({"clock": "system-PT999999999H"}),
    );
    order(&serving, 400, "POST /worlds", json!({"sed": 7}));
    order(&serving, 409, "DELETE /worlds/{world}", NOTHING);
    let at = |status, line: &str, body| order(&serving, status, &of_world(line), body);
    let state = at(200, "GET /state", NOTHING);
    at(204, "PUT /state", state);
    at(200, "PUT /clock", json!({"clock": "system-PT1H0.5S"}));
    at(400, "PUT /state", json!({}));
    at(204, "POST /reset", NOTHING);
    at(200, "GET /keys", NOTHING);
    let limit = json!({"limit": 5, "window_seconds": 60});
    let new = json!({"handle": "ada", "scopes": ["links:write"], "rate_limit": limit});
    let made = at(201, "POST /keys", new);
    let key = json!({"key": made["key"]});
    at(204, "DELETE /keys", key.clone());
    at(404, "DELETE /keys", key);
    at(400, "POST /keys", json!({"handle": "ada"}));
}

fn dialects_in_the_documentation() -> impl Iterator<Item = Value> {
    let page = include_str!("../../../docs/dialects.md");
    let blocks = page.split("```json\n").skip(1);
    blocks.map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap())
}

#[test]
fn settings_match_the_document() {
    let serving = serve(&[]);
    let at = |status, line: &str, body| order(&serving, status, &of_world(line), body);
    at(200, "GET /dialect", NOTHING);
    at(200, "PUT /dialect", json!("random:7"));
    at(200, "PUT /dialect", json!({"error_body": "flat"}));
    for observed in dialects_in_the_documentation() {
        at(200, "PUT /dialect", observed);
    }
    at(200, "GET /clock", NOTHING);
    at(200, "PUT /clock", json!({"clock": "2026-03-01T12:00:00Z"}));
    at(200, "PUT /clock", json!({"clock": "system-PT90S"}));
    at(200, "POST /clock/advance", json!({"seconds": 90}));
    at(400, "POST /clock/advance", json!({"seconds": -90}));
    at(
        201,
        "POST /faults",
        json!({"fault": {"wire": {"cut": {"after": 1}}}}),
    );
    at(
        201,
        "POST /faults",
        json!([{"times": 1, "fault": "empty_body"}]),
    );
    at(200, "GET /faults", NOTHING);
    let rule = at(201, "POST /faults", json!({"fault": "empty_body"}));
    let id = rule[2]["id"].to_string();
    serving.order(204, &format!("DELETE /worlds/default/faults/{id}"), NOTHING);
    at(204, "DELETE /faults", NOTHING);
}

/// Returns the names of the variants, from the error for an unknown one.
fn variants<T: DeserializeOwned>() -> BTreeSet<String> {
    let refusal = serde_json::from_str::<T>("\"?\"")
        .err()
        .unwrap()
        .to_string();
    refusal
        .split('`')
        .skip(3)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn all_faults_have_a_schema_and_a_row_in_the_documentation() {
    let document = &*CONTROL_DOCUMENT;
    let rows = include_str!("../../../docs/faults.md").lines();
    let rows: Vec<_> = rows.filter(|line| line.starts_with("| `")).collect();
    for (schema, names) in [
        ("Fault", variants::<Fault>()),
        ("WireFault", variants::<WireFault>()),
    ] {
        let forms = &document["components"]["schemas"][schema]["oneOf"];
        let plain = forms[0]["enum"].as_array().unwrap();
        let plain = plain.iter().map(|name| name.as_str().unwrap().to_owned());
        let with_settings = forms[1]["properties"].as_object().unwrap().keys().cloned();
        let documented: BTreeSet<_> = plain.chain(with_settings).collect();
        assert_eq!(documented, names, "{schema}");
        for name in names {
            let name = format!("\"{name}\"");
            assert!(
                rows.iter().any(|row| row.contains(&name)),
                "docs/faults.md has no row for {name}"
            );
        }
    }
}

#[test]
fn journal_matches_the_document() {
    let serving = serve(&[]);
    let at = |status, line: &str, body| order(&serving, status, &of_world(line), body);
    serving
        .request("PATCH /me/profile")
        .json(json!({"nickname": "Ada"}))
        .send();
    serving.request("POST /me/posts").body(b"\xff").send();
    at(200, "GET /requests", NOTHING);
    let pattern = json!({"method": "PATCH", "headers": {"x-debug": null}});
    at(
        200,
        "POST /requests/verify",
        json!({"request": pattern, "times": 2}),
    );
    at(200, "POST /requests/wait", json!({"request": pattern}));
    let longer = json!({"request": pattern, "times": 2, "within_milliseconds": 1});
    at(504, "POST /requests/wait", longer);
    at(400, "POST /requests/wait", json!({"reqest": {}}));
    at(200, "GET /requests/limits", NOTHING);
    at(200, "PUT /requests/limits", json!({"body_bytes": 5}));
    at(400, "PUT /requests/limits", json!({"body_bytes": -5}));
    at(200, "GET /violations", NOTHING);
    serving
        .request(&format!("GET /me?key={}", serving.key("all")))
        .data(200);
    at(200, "GET /advice", NOTHING);
    at(200, "GET /coverage", NOTHING);
    at(204, "DELETE /violations", NOTHING);
    at(204, "DELETE /requests", NOTHING);
}

#[test]
fn webhook_matches_the_document() {
    let serving = serve(&[]);
    let at = |status, line: &str, body| order(&serving, status, &of_world(line), body);
    at(200, "GET /webhook", NOTHING);
    at(404, "GET /webhook/sink", NOTHING);
    at(409, "POST /webhook/emit", json!({"kind": "post.liked"}));
    at(
        200,
        "PUT /webhook",
        json!({"url": "http://127.0.0.1:9/", "secret": "x"}),
    );
    at(
        200,
        "POST /webhook/emit",
        json!({"kind": "post.liked", "data": {"by": "grace"}}),
    );
    let script = json!([{"status": 500, "times": 1}, {"status": "timeout"}, {"status": 200}]);
    at(
        200,
        "PUT /webhook",
        json!({"sink": script, "secret": {"base64": "/w=="}}),
    );
    at(
        200,
        "PUT /webhook/sink",
        json!({"script": "500, timeout, 200"}),
    );
    at(
        200,
        "POST /webhook/emit",
        json!({"kind": "any", "body": {"base64": "/w=="}}),
    );
    at(200, "POST /webhook/emit", json!({"kind": "post.liked"}));
    let id = at(200, "GET /webhook/deliveries", NOTHING)[0]["id"].clone();
    at(200, "POST /webhook/redeliver", json!({"id": id}));
    at(404, "POST /webhook/redeliver", json!({"id": "delivery_0"}));
    at(200, "PUT /webhook", json!({"active": true}));
    at(200, "GET /webhook/sink", NOTHING);
}
