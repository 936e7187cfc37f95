//! The webhook routes of the control API.

use serde_json::{Value, json};

use crate::control::assert_rejected;
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
fn ten_consecutive_failures_turn_it_off_until_it_is_turned_on() {
    let serving = serve(&[]);
    let sink = json!({"sink": "500 x10, 200", "secret": CANARY});
    let status = serving.order(200, &webhook("PUT "), sink);
    let status_with = |active: bool, failures: u32, received: u32| {
        json!({
            "receiver": "sink",
            "active": active,
            "consecutive_failures": failures,
            "sink": {"script": "500 x10, 200", "received": received},
        })
    };
    assert_eq!(status, status_with(true, 0, 0));
    for _ in 0..10 {
        assert_eq!(
            emit(&serving, "post.liked")["outcome"],
            json!({"result": "responded", "status": 500})
        );
    }
    assert_eq!(
        serving.order(200, &webhook("GET "), NOTHING),
        status_with(false, 10, 10)
    );
    assert_rejected(
        &serving,
        409,
        &webhook("POST /emit"),
        json!({"kind": "post.liked"}),
        "webhook_off",
        "the webhook is off after 10 consecutive failed deliveries; turn it on again",
    );
    assert_eq!(
        serving.order(200, &webhook("PUT "), json!({"active": true})),
        status_with(true, 0, 10)
    );
    let deliveries = serving.order(200, &webhook("GET /deliveries"), NOTHING);
    let first = &deliveries[0];
    let again = json!({"id": first["id"]});
    let again = serving.order(200, &webhook("POST /redeliver"), again);
    assert_eq!(again["redelivery_of"], first["id"]);
    assert_eq!(
        (
            &again["body"],
            &again["signature"],
            &again["outcome"]["status"]
        ),
        (&first["body"], &first["signature"], &json!(200))
    );
    assert_rejected(
        &serving,
        404,
        &webhook("POST /redeliver"),
        json!({"id": "delivery_0"}),
        "unknown_delivery",
        "unknown delivery \"delivery_0\"; the log does not contain it",
    );
}

#[test]
fn events_reach_a_receiver_and_count_as_covered() {
    let serving = serve(&[]);
    let (url, arrived) = receive(&["HTTP/1.1 204 No Content\r\n\r\n"; 3]);
    let set = json!({"url": url, "secret": CANARY});
    assert_eq!(
        serving.order(200, &webhook("PUT "), set)["receiver"],
        url.as_str()
    );
    let event = json!({"kind": "follow.created", "data": {"from": "grace"}});
    let delivery = serving.order(200, &webhook("POST /emit"), event);
    let first = arrived.recv().unwrap();
    assert_eq!(first.header("x-service-event"), Some("follow.created"));
    assert_eq!(
        first.header("x-service-signature"),
        delivery["signature"].as_str()
    );
    assert_eq!(delivery["body"].as_str().unwrap().as_bytes(), first.body);
    for (body, bytes) in [
        (json!("exact \n"), &b"exact \n"[..]),
        (json!({"base64": "/wA="}), b"\xff\0"),
    ] {
        let raw = json!({"kind": "badge.awarded", "body": body});
        serving.order(200, &webhook("POST /emit"), raw);
        assert_eq!(arrived.recv().unwrap().body, bytes);
    }
    let coverage = serving.order(200, "GET /worlds/default/coverage", NOTHING);
    assert_eq!(coverage["events"]["follow.created"], 1);
    let uncovered = coverage["uncovered"]["events"].as_array().unwrap();
    assert_eq!(uncovered.len(), 6, "{uncovered:?}");
}

#[test]
fn never_returns_the_secret() {
    let serving = serve(&["--log"]);
    let set = json!({"sink": "200", "secret": CANARY});
    let mut responses = vec![serving.order(200, &webhook("PUT "), set)];
    responses.push(emit(&serving, "post.liked"));
    for line in [
        "GET /webhook",
        "GET /webhook/sink",
        "GET /webhook/deliveries",
        "GET /state",
        "GET /requests",
        "GET /coverage",
        "GET /dialect",
    ] {
        let line = line.replacen(' ', " /worlds/default", 1);
        responses.push(serving.order(200, &line, NOTHING));
    }
    for line in ["PUT ", "PUT /sink", "POST /emit"] {
        let wrong = format!(r#"{{"secret": "{CANARY}", "url": 7"#);
        let error = serving.control(&webhook(line)).body(wrong).send();
        assert_eq!(error.status, 400);
        responses.push(json!(error.body));
    }
    let responses = json!(responses).to_string();
    assert!(!responses.contains(CANARY), "{responses}");
    // base64 of the canary, which is the format for bytes that are not UTF-8.
    assert!(!responses.contains("d2hzZWNfY2FuYXJ5"), "{responses}");
    let (code, stderr) = serving.stop("TERM");
    assert_eq!(code, Some(0));
    assert!(!stderr.contains(CANARY), "{stderr}");
}

#[test]
fn replacing_the_state_keeps_the_webhook() {
    let serving = serve(&[]);
    let set = json!({"sink": "500, 200", "secret": CANARY});
    serving.order(200, &webhook("PUT "), set);
    let state = serving.order(200, "GET /worlds/default/state", NOTHING);
    assert_eq!(state.get("webhook"), None);
    let first = emit(&serving, "post.liked");
    serving.order(204, "PUT /worlds/default/state", state);
    let status = serving.order(200, &webhook("GET "), NOTHING);
    assert_eq!(
        (&status["consecutive_failures"], &status["sink"]["received"]),
        (&json!(1), &json!(1))
    );
    let second = emit(&serving, "post.liked");
    assert_ne!(second["id"], first["id"]);
    let deliveries = serving.order(200, &webhook("GET /deliveries"), NOTHING);
    assert_eq!(deliveries, json!([first, second]));

    serving.order(204, "POST /worlds/default/reset", NOTHING);
    let status = serving.order(200, &webhook("GET "), NOTHING);
    assert_eq!(status["receiver"], NOTHING);
}

#[test]
fn changing_the_receiver_keeps_the_secret() {
    let serving = serve(&[]);
    let line = webhook("PUT /sink");
    assert_rejected(
        &serving,
        422,
        &line,
        json!({"script": "200"}),
        "no_secret",
        "the webhook has no secret yet; add `secret`",
    );
    let set = json!({"url": "http://127.0.0.1:9/", "secret": {"base64": "/wA="}});
    serving.order(200, &webhook("PUT "), set);
    let script = json!([{"status": 503, "times": 2}, {"status": "timeout"}]);
    assert_eq!(
        serving.order(200, &line, json!({"script": script})),
        json!({"script": "503 x2, timeout", "received": 0})
    );
    assert_eq!(
        serving.order(200, &webhook("GET /sink"), NOTHING)["received"],
        0
    );
}

#[test]
fn reports_invalid_bodies() {
    let serving = serve(&[]);
    for (body, message) in [
        (
            json!({"sink": 200, "secret": "x"}),
            "expected a script as a string or an array",
        ),
        (
            json!({"sink": "200", "secret": 7}),
            "secret: invalid type: integer `7`, expected a string or {\"base64\": \"…\"}",
        ),
        (
            json!({"sink": "200", "secret": {"base65": ""}}),
            "secret.base65: unknown field `base65`, expected `base64`",
        ),
    ] {
        assert_rejected(&serving, 400, &webhook("PUT "), body, "bad_body", message);
    }
    assert_rejected(
        &serving,
        400,
        &webhook("PUT "),
        json!({"sink": "200", "secret": {"base64": "!"}}),
        "bad_body",
        "secret: not valid base64; expected padded base64 such as aGk=",
    );
}

#[test]
fn reports_invalid_changes() {
    let serving = serve(&[]);
    for (body, code, message) in [
        (
            json!({"active": false}),
            "cannot_turn_off",
            "`active` cannot be set to false; only 10 consecutive failed deliveries turn a \
             webhook off",
        ),
        (
            json!({}),
            "no_change",
            "the request has no receiver; set `url` or `sink`, or only `active`",
        ),
        (
            json!({"secret": "x", "active": true}),
            "no_change",
            "the request has no receiver; set `url` or `sink`, or only `active`",
        ),
        (
            json!({"url": "http://127.0.0.1/", "sink": "200", "secret": "x"}),
            "two_receivers",
            "`url` and `sink` cannot be combined; remove one of them",
        ),
        (
            json!({"sink": "200", "secret": ""}),
            "empty_secret",
            "the webhook secret is empty; expected at least 1 byte",
        ),
        (
            json!({"url": "hooks", "secret": "x"}),
            "invalid_url",
            "the webhook URL `hooks` is not valid (relative URL without a base); expected an \
             absolute URL such as http://127.0.0.1:8080/",
        ),
    ] {
        assert_rejected(&serving, 422, &webhook("PUT "), body, code, message);
    }
    let message = "the webhook has no receiver; set a URL or the sink";
    for (line, body) in [
        ("PUT ", json!({"active": true})),
        ("POST /emit", json!({"kind": "post.liked"})),
    ] {
        assert_rejected(&serving, 409, &webhook(line), body, "no_receiver", message);
    }
    let message = "the receiver is not the sink; set the sink with PUT";
    assert_rejected(
        &serving,
        404,
        &webhook("GET /sink"),
        NOTHING,
        "no_sink",
        message,
    );
}

#[test]
fn reports_invalid_events() {
    let serving = serve(&[]);
    for (event, code, message) in [
        (
            json!({"kind": "two\nlines"}),
            "invalid_kind",
            "the event kind \"two\\nlines\" cannot be sent in a header; expected a name such as \
             `follow.created`, without control characters or surrounding spaces",
        ),
        (
            json!({"kind": "post.liked", "data": null, "body": "x"}),
            "data_and_body",
            "`data` and `body` cannot be combined; remove one of them",
        ),
    ] {
        assert_rejected(&serving, 422, &webhook("POST /emit"), event, code, message);
    }
}

#[test]
fn an_empty_delivery_has_a_content_length() {
    let serving = serve(&[]);
    let ok = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    let (url, arrived) = receive(&[ok]);
    let receiver = json!({"url": url, "secret": "x"});
    serving.order(200, &webhook("PUT "), receiver);
    let event = json!({"kind": "post.liked", "body": ""});
    serving.order(200, &webhook("POST /emit"), event);
    assert_eq!(arrived.recv().unwrap().header("content-length"), Some("0"));
}
