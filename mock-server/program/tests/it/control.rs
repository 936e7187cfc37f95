//! The control API of the program.

use std::collections::BTreeSet;

use mock_server::Dialect;
use serde_json::{Value, json};

use crate::request::{request_exactly, with_errors};
use crate::schema::CONTROL;
use crate::serving::{Serving, serve};

const NOTHING: Value = Value::Null;

#[test]
fn rejects_the_requests_of_the_table_without_changes() {
    let serving = serve(&[]);
    let read = || {
        ["state", "faults", "dialect", "webhook", "requests/limits"]
            .map(|path| serving.order(200, &format!("GET /worlds/default/{path}"), NOTHING))
    };
    let before = read();
    let state = &before[0];
    let found = with_errors(include_str!("control_rejections.txt"), |line, body| {
        let Some(change) = body.strip_prefix("with ") else {
            let body = serde_json::from_str(body).unwrap_or_default();
            return serving.answer(line, &body);
        };
        let change = change.replace("KEY", serving.key("links"));
        let (pointer, value) = change.split_once(' ').unwrap();
        let value = match state.pointer(value) {
            Some(copied) => copied.clone(),
            None => serde_json::from_str(value).unwrap(),
        };
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let mut changed = state.clone();
        match changed.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
            object => object[name] = value,
        }
        let answer = serving.answer(line, &changed);
        if answer.status == 422 {
            let new_world = serving.answer("POST /worlds", &json!({ "state": changed }));
            assert_eq!((new_world.status, &new_world.body), (422, &answer.body));
        }
        answer
    });
    let found = found.replace(serving.url(), "{url}");
    expect_test::expect_file!["control_rejections.txt"].assert_eq(&found);
    assert_eq!(read(), before);
}

/// Health, the document and the page list the same routes, which exist.
#[test]
fn all_routes_exist_and_are_documented() {
    let serving = serve(&[]);
    let health = serving.order(200, "GET /health", NOTHING);
    assert_eq!(health["status"], "ok");
    assert_eq!(health["url"], serving.url());
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    let routes: BTreeSet<String> = serde_json::from_value(health["routes"].clone()).unwrap();
    let advance = "POST /_mock/v1/worlds/{world}/clock/advance";
    assert!(routes.contains(advance), "{routes:?}");
    let document = serving.order(200, "GET /control-openapi.json", NOTHING);
    let mut documented = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys();
        for method in methods.filter(|name| *name != "parameters") {
            documented.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    assert_eq!(documented, routes);
    let document = serving.order(200, "GET /openapi.json", NOTHING);
    assert!(document["paths"]["/api/v1/me"].is_object());
    let at_the_root = request_exactly(serving.address(), "GET /openapi.json").send();
    assert_eq!(at_the_root.header("content-type"), Some("application/json"));
    let at_the_root: Value = serde_json::from_str(&at_the_root.body).unwrap();
    assert_eq!(at_the_root, document);
    let page = include_str!("../../../docs/control-api.md");
    for route in &routes {
        let line = route
            .replace("{world}", "nowhere")
            .replacen("/_mock/v1", "", 1);
        let answer = serving.control(&line).send();
        let unknown_world = answer.body.contains(r#""code":"unknown_world""#);
        assert_eq!(unknown_world, route.contains("{world}"), "{route}");
        assert_eq!(answer.status == 404, unknown_world, "{route}");
        let (_, path) = route.split_once("/_mock/v1").unwrap();
        let path = match path.strip_prefix("/worlds/{world}") {
            None | Some("") => path,
            Some(below) => below,
        };
        let is_there = page.contains(&format!("{path}`"));
        assert!(is_there, "docs/control-api.md has no row for {route}");
    }
}

#[test]
fn reads_and_replaces_the_state() {
    let serving = serve(&[]);
    let mut state = serving.read("/state");
    state["accounts"]["demo"]["profile"]["bio"] = json!("From a test");
    serving.order(204, "PUT /worlds/default/state", state.clone());
    assert_eq!(serving.request("GET /me").data(200)["bio"], "From a test");
    assert_eq!(serving.read("/state"), state);

    // A low counter of IDs repeats none.
    state["last_id"] = json!(0);
    serving.order(204, "PUT /worlds/default/state", state);
    assert_eq!(serving.post("Hello")["id"], "post_6");
}

#[test]
fn reset_restores_the_world_and_clears_faults() {
    let serving = serve(&["--seed", "7"]);
    let before = serving.read("/state");
    serving.request("DELETE /me/links/link_1").send();
    let rule = || json!({"fault": {"status": {"status": 503}}});
    let added = serving.order(201, "POST /worlds/default/faults", rule());
    serving.order(204, "POST /worlds/default/reset", NOTHING);
    assert_eq!(serving.read("/state"), before);
    serving.request("GET /me").data(200);
    // The random numbers of a rule depend on its ID.
    let again = serving.order(201, "POST /worlds/default/faults", rule());
    assert_eq!(again, added);
}

#[test]
fn creates_and_revokes_keys() {
    let serving = serve(&[]);
    assert_eq!(serving.read("/keys"), serving.ready["keys"]);
    let limit = json!({"limit": 1, "window_seconds": 60});
    let new = json!({"handle": "ada", "scopes": ["links:write"], "rate_limit": limit});
    let key = serving.order(201, "POST /worlds/default/keys", new);
    let token = key["key"].as_str().unwrap();
    let request = || serving.request("GET /me").key(token);
    let me = request().data(200);
    assert_eq!(
        (&me["handle"], &me["key"]["rate_limit"]),
        (&json!("ada"), &limit)
    );
    assert_eq!(request().send().status, 429);
    let minute = json!({"seconds": 60});
    serving.order(200, "POST /worlds/default/clock/advance", minute);
    request().data(200);
    let name = key["name"].as_str().unwrap();
    let found = serving.read(&format!("/requests?key={name}"));
    assert_eq!(
        (found.as_array().unwrap().len(), &found[0]["key"]),
        (3, &key["name"])
    );
    serving.order(204, "DELETE /worlds/default/keys", json!({"key": token}));
    request().assert_rejected(401, "unknown_key", "unknown API key");
}

#[test]
fn does_not_return_unusable_keys() {
    let serving = serve(&[]);
    let links = json!({"key": serving.key("links")});
    serving.order(204, "DELETE /worlds/default/keys", links);
    let keys = serving.read("/keys");
    assert_eq!(keys["links"], NOTHING);
    assert_eq!(keys["all"], serving.key("all"));
    let mut state = serving.read("/state");
    state["keys"] = json!({});
    let world = serving.order(201, "POST /worlds", json!({"state": state}));
    let keys = world["keys"].as_object().unwrap();
    assert_eq!(keys.len(), 6);
    assert!(keys.values().all(Value::is_null), "{keys:?}");
}

#[test]
fn sets_and_advances_the_clock() {
    let serving = serve(&[]);
    let advance = |seconds| {
        let line = "POST /worlds/default/clock/advance";
        serving.order(200, line, json!({ "seconds": seconds }))
    };
    assert_eq!(serving.read("/clock")["clock"], "system");
    assert_eq!(advance(7200)["clock"], "system+PT2H");
    let instant = |text: &str| json!({"now": text, "clock": text});
    let noon = "2026-03-01T12:00:00Z";
    let set = serving.order(200, "PUT /worlds/default/clock", json!({"clock": noon}));
    assert_eq!(set, instant(noon));
    assert_eq!(advance(90), instant("2026-03-01T12:01:30Z"));
    assert_eq!(serving.post("x")["created_at"], "2026-03-01T12:01:30Z");
}

#[test]
fn date_headers_use_the_clock_of_the_world() {
    let serving = serve(&[]);
    let clock = json!({"clock": "1994-11-06T08:49:37Z"});
    serving.order(200, "PUT /worlds/default/clock", clock);
    let date = |line| {
        serving
            .request(line)
            .send()
            .header("date")
            .map(str::to_owned)
    };
    let dated = Some("Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(date("GET /me").as_deref(), dated);
    assert_eq!(date("GET /nowhere").as_deref(), dated);
    let empty = json!({"fault": {"status": {"status": 204}}});
    serving.order(201, "POST /worlds/default/faults", empty);
    assert_eq!(date("GET /me").as_deref(), dated);
}

#[test]
fn sets_a_dialect_by_name_or_by_settings() {
    let serving = serve(&[]);
    let dialect = "/worlds/default/dialect";
    let line = format!("PUT {dialect}");
    let set = serving.order(200, &line, json!({"ids": "integer"}));
    assert_eq!(set["ids"], "integer");
    assert_eq!(set["error_body"], "nested");
    assert_eq!(serving.order(200, &format!("GET {dialect}"), NOTHING), set);
    assert_eq!(serving.request("GET /me").data(200)["links"][0]["id"], 1);

    let learned = json!({"at": "2026-03-01T12:00:00Z", "host": "localhost", "evidence": {}});
    let file = json!({"settings": {"ids": "integer"}, "learned": learned});
    assert_eq!(serving.order(200, &line, file), set);

    let minimal = serving.order(200, &line, json!("minimal"));
    assert_eq!(minimal, json!(Dialect::minimal()));
    let random = serving.order(200, &line, json!("random:7"));
    assert_eq!(random, json!(Dialect::random(7)));
}

/// The list equals `Dialect::alternatives`.
#[test]
fn lists_alternatives_that_can_be_set() {
    let serving = serve(&[]);
    let mut dialects = Vec::new();
    let settings = serving.order(200, "GET /dialect-settings", NOTHING);
    for setting in settings.as_array().unwrap() {
        let name = setting["setting"].as_str().unwrap();
        assert_eq!(setting["default"], json!(Dialect::default())[name]);
        for alternative in setting["alternatives"].as_array().unwrap() {
            let choice = json!({ name: alternative });
            dialects.push(serving.order(200, "PUT /worlds/default/dialect", choice));
        }
    }
    let expected: Vec<_> = Dialect::alternatives()
        .map(|(.., one)| json!(one))
        .collect();
    assert_eq!(dialects, expected);
}

#[test]
fn adds_counts_and_clears_fault_rules() {
    let serving = serve(&[]);
    let rule = json!({
        "match": {"path": "/api/v1/badges"},
        "skip": 1, "times": 1,
        "phase": "before",
        "fault": {"status": {"status": 503}},
    });
    let counted = |matched: u64, applied: u64| json!([{"id": 1, "rule": rule, "matched": matched, "applied": applied}]);
    let added = serving.order(201, "POST /worlds/default/faults", rule.clone());
    assert_eq!(added, counted(0, 0));
    let statuses = [(); 3].map(|()| serving.request("GET /badges").send().status);
    assert_eq!(statuses, [200, 503, 200]);
    assert_eq!(serving.read("/faults"), counted(3, 1));
    // No rule applies to the control API, and a removed ID is not used again.
    let more = json!([{"fault": {"wire": "reset"}}, {"fault": "empty_body"}]);
    let added = serving.order(201, "POST /worlds/default/faults", more);
    serving.order(204, "DELETE /worlds/default/faults/1", NOTHING);
    serving.order(204, "DELETE /worlds/default/faults/3", NOTHING);
    assert_eq!(serving.read("/faults"), json!([added[0]]));
    serving.order(404, "DELETE /worlds/default/faults/1", NOTHING);
    let added = serving.order(201, "POST /worlds/default/faults", rule);
    assert_eq!(added[0]["id"], 4);
    serving.order(204, "DELETE /worlds/default/faults", NOTHING);
    assert_eq!(serving.read("/faults"), json!([]));
}

/// Malformed bodies get 400; well-formed but invalid ones get 422, of which the table has an example.
#[test]
fn all_routes_use_the_same_status_codes_for_invalid_bodies() {
    let serving = serve(&[]);
    let mut table = include_str!("control_rejections.txt").lines();
    let mut invalid = BTreeSet::new();
    while let (Some(request), Some(response)) = (table.next(), table.clone().next()) {
        if response.starts_with("422 ") && !request.starts_with("GET ") {
            let words: Vec<_> = request.split(' ').take(2).collect();
            invalid.insert(words.join(" ").replace("/default/", "/{world}/"));
        }
    }
    let mut documented = BTreeSet::new();
    for (path, item) in CONTROL.value["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation.get("requestBody").is_some() {
                let path = path.strip_prefix("/_mock/v1").unwrap();
                let line = format!("{} {path}", method.to_uppercase());
                check_unreadable(&serving, &line);
                if operation["responses"].get("422").is_some() {
                    documented.insert(line);
                }
            }
        }
    }
    assert_eq!(invalid, documented);
}

#[track_caller]
fn check_unreadable(serving: &Serving, line: &str) {
    let bodies = [
        &b"{"[..],
        b"[]x",
        b"null",
        b"7",
        b"\xff",
        b"[7]",
        br#"{"nonsense": 1}"#,
        &[b'['; 10_000],
    ];
    for body in bodies {
        let line = line.replace("{world}", "default");
        let answer = serving.control(&line).body(body).send();
        let body = String::from_utf8_lossy(&body[..body.len().min(20)]);
        assert_eq!(answer.status, 400, "{line} {body}: {}", answer.body);
        let is_named = answer.body.contains(r#""code":"bad_body""#);
        assert!(is_named, "{line}: {}", answer.body);
    }
}

#[test]
fn arbitrary_bodies_do_not_panic() {
    let serving = serve(&[]);
    check_unreadable(&serving, "PUT /worlds/{world}/state");
    let huge = vec![b' '; 17 * 1024 * 1024];
    let huge = serving.control("PUT /worlds/default/state").body(huge);
    assert_eq!(huge.send().status, 413);
    let stderr = serving.stderr();
    assert!(!stderr.contains("panicked"), "{stderr}");
}
