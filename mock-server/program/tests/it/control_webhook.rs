//! The webhook routes of the control API.

use std::net::TcpListener;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::serving::{Serving, serve};
use crate::webhook_receiver::receive;

const NOTHING: Value = Value::Null;
const CANARY: &str = "whsec_canary";

fn webhook(line: &str) -> String {
    let (method, path) = line.split_once(' ').unwrap();
    format!("{method} /worlds/default/webhook{path}")
}

fn emit(serving: &Serving, kind: &str) -> Value {
    serving.order(200, &webhook("POST /emit"), json!({"kind": kind}))
}

#[test]
fn can_be_turned_on_and_redeliver() {
    let serving = serve(&[]);
    let receiver = json!({"script": "500 x10, 200", "secret": CANARY});
    serving.order(200, &webhook("PUT "), receiver);
    for _ in 0..10 {
        emit(&serving, "post.liked");
    }
    let error = serving.order(409, &webhook("POST /emit"), json!({"kind": "post.liked"}));
    assert_eq!(error["error"]["code"], "webhook_off");
    let status = serving.order(200, &webhook("PUT "), json!({"active": true}));
    let expected = json!({
        "receiver": "built_in",
        "active": true,
        "consecutive_failures": 0,
        "built_in": {"script": "500 x10, 200", "received": 10},
    });
    assert_eq!(status, expected);
    assert_eq!(serving.read("/webhook"), expected);
    let first = serving.read("/webhook/deliveries")[0].take();
    let expected = json!({"result": "responded", "status": 500});
    assert_eq!(first["outcome"], expected);
    let again = serving.order(200, &webhook("POST /redeliver"), json!({"id": first["id"]}));
    assert_eq!(again["redelivery_of"], first["id"]);
    assert_eq!(again["outcome"]["status"], 200);
    for name in ["body", "signature"] {
        assert_eq!(again[name], first[name]);
    }
    let unknown = json!({"id": "delivery_0"});
    let error = serving.order(404, &webhook("POST /redeliver"), unknown);
    assert_eq!(error["error"]["code"], "unknown_delivery");
}

#[test]
fn events_reach_a_receiver_and_count_as_covered() {
    let serving = serve(&[]);
    let (url, arrived) = receive(&["HTTP/1.1 204 No Content\r\n\r\n"; 4]);
    let set = json!({"url": url, "secret": CANARY});
    let set = serving.order(200, &webhook("PUT "), set);
    assert_eq!(set["receiver"], url.as_str());
    let event = json!({"kind": "follow.created", "data": {"from": "grace"}});
    let delivery = serving.order(200, &webhook("POST /emit"), event);
    let first = arrived.recv().unwrap();
    assert_eq!(first.header("x-service-event"), Some("follow.created"));
    let signature = delivery["signature"].as_str();
    assert_eq!(first.header("x-service-signature"), signature);
    assert_eq!(delivery["body"].as_str().unwrap().as_bytes(), first.body);
    for (body, bytes) in [
        (json!("exact \n"), &b"exact \n"[..]),
        (json!({"base64": "/wA="}), b"\xff\0"),
        (json!(""), b""),
    ] {
        let raw = json!({"kind": "badge.awarded", "body": body});
        serving.order(200, &webhook("POST /emit"), raw);
        let arrived = arrived.recv().unwrap();
        assert_eq!(arrived.body, bytes);
        let length = bytes.len().to_string();
        assert_eq!(arrived.header("content-length"), Some(&*length));
    }
    let coverage = serving.read("/coverage");
    assert_eq!(coverage["events"]["follow.created"], 1);
    let uncovered = coverage["uncovered"]["events"].as_array().unwrap();
    assert_eq!(uncovered.len(), 6, "{uncovered:?}");
}

#[test]
fn never_returns_the_secret() {
    let serving = serve(&["--log"]);
    let set = json!({"script": "200", "secret": CANARY});
    let mut responses = vec![serving.order(200, &webhook("PUT "), set)];
    responses.push(emit(&serving, "post.liked"));
    for path in "/webhook /webhook/deliveries /state /requests /coverage /dialect".split(' ') {
        responses.push(serving.read(path));
    }
    for line in ["PUT ", "POST /emit"] {
        let wrong = format!(r#"{{"secret": "{CANARY}", "url": 7"#);
        let error = serving.control(&webhook(line)).body(wrong).send();
        assert_eq!(error.status, 400);
        responses.push(json!(error.body));
    }
    let responses = json!(responses).to_string();
    assert!(!responses.contains(CANARY), "{responses}");
    // base64 of the canary, which is the format for bytes that are not UTF-8.
    assert!(!responses.contains("d2hzZWNfY2FuYXJ5"), "{responses}");
    let stderr = serving.stderr();
    assert!(!stderr.contains(CANARY), "{stderr}");
}

#[test]
fn replacing_the_state_keeps_the_webhook() {
    let serving = serve(&[]);
    let set = json!({"script": "500, 200", "secret": CANARY});
    serving.order(200, &webhook("PUT "), set);
    let state = serving.read("/state");
    assert_eq!(state.get("webhook"), None);
    let first = emit(&serving, "post.liked");
    serving.order(204, "PUT /worlds/default/state", state);
    let status = serving.read("/webhook");
    assert_eq!(status["consecutive_failures"], 1);
    assert_eq!(status["built_in"]["received"], 1);
    let second = emit(&serving, "post.liked");
    assert_ne!(second["id"], first["id"]);
    let deliveries = serving.read("/webhook/deliveries");
    assert_eq!(deliveries, json!([first, second]));

    serving.order(204, "POST /worlds/default/reset", NOTHING);
    assert_eq!(serving.read("/webhook")["receiver"], NOTHING);
}

#[test]
fn a_delivery_under_way_ends_in_the_world_before_the_reset() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state.json");
    let state = state.to_str().unwrap();
    for options in [&[][..], &["--state", state]] {
        let serving = serve(options);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let receiver = json!({"url": url, "secret": CANARY});
        serving.order(200, &webhook("PUT "), receiver);
        let event = json!({"kind": "post.liked"});
        let held = serving.control(&webhook("POST /emit"));
        let held = held.body(event.to_string()).begin();
        let stream = crate::child::accept(&listener);
        serving.order(204, "POST /worlds/default/reset", NOTHING);
        let receiver = json!({"script": "200", "secret": CANARY});
        let status = serving.order(200, &webhook("PUT "), receiver);
        let before = serving.read("/state");
        // The delivery fails.
        drop(stream);
        let outcome = held.finish();
        assert_eq!(outcome.status, 200, "{}", outcome.body);
        assert_eq!(serving.read("/webhook"), status);
        assert_eq!(serving.read("/webhook/deliveries"), json!([]));
        assert_eq!(serving.read("/coverage")["events"]["post.liked"], 0);
        assert_eq!(serving.read("/state"), before);
    }
}
