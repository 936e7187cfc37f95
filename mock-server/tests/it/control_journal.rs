//! The journal and the verdicts of the program, as curl would ask for them.

use std::thread;

use serde_json::{Value, json};

use crate::ask::ask_exactly;
use crate::control::refused;
use crate::serving::serve;

const NOTHING: Value = Value::Null;

#[test]
fn requests_are_listed_filtered_and_forgotten() {
    let serving = serve(&[]);
    serving.ask("GET /me").data(200);
    serving
        .ask("PATCH /me/profile")
        .json(json!({"bio": "x"}))
        .data(200);
    serving
        .ask("PATCH /me/profile")
        .key(serving.key("none"))
        .send();
    let list = |query: &str| -> Vec<u64> {
        let line = format!("GET /worlds/default/requests{query}");
        let listed = serving.order(200, &line, NOTHING);
        let numbers = listed.as_array().unwrap().iter();
        numbers.map(|one| one["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(list(""), [1, 2, 3]);
    assert_eq!(list("?method=PATCH"), [2, 3]);
    assert_eq!(list("?path=/me"), [1]);
    assert_eq!(list("?method=PATCH&path=%2Fme%2Fprofile&status=200"), [2]);
    assert_eq!(list("?key=none"), [3]);
    for (query, code, message) in [
        (
            "?metod=GET",
            "unknown_parameter",
            "the query parameter `metod` is none; there are `method`, `path`, `key` and `status`",
        ),
        (
            "?status=ok",
            "invalid_status",
            "the status is `ok`; a number such as 422 is expected",
        ),
    ] {
        let line = format!("GET /worlds/default/requests{query}");
        refused(&serving, 400, &line, NOTHING, code, message);
    }
    serving.order(204, "DELETE /worlds/default/requests", NOTHING);
    assert_eq!(list(""), [] as [u64; 0]);
}

#[test]
fn a_key_in_a_path_a_query_or_a_header_is_not_kept() {
    let serving = serve(&[]);
    let key = serving.key("all").to_owned();
    serving
        .ask(&format!("GET /users/{key}/stats?key={key}"))
        .header("X-Key", &key)
        .send();
    let listed = serving.order(200, "GET /worlds/default/requests", NOTHING);
    assert_eq!(listed[0]["path"], "/api/v1/users/mock_all_…/stats");
    assert!(!listed.to_string().contains(&key), "{listed}");
    serving.ask(&format!("GET /{key}")).send();
    let violations = serving.order(200, "GET /worlds/default/violations", NOTHING);
    let told = violations.to_string();
    assert!(told.contains("/api/v1/mock_all_…"), "{told}");
    assert!(!told.contains(&key), "{told}");
}

#[test]
fn what_stands_in_place_of_a_key_is_not_kept_either() {
    let serving = serve(&[]);
    for (authorization, secret) in [
        ("Bearer sk_live_0123456789", "sk_live_0123456789"),
        ("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("canary-without-scheme", "canary-without-scheme"),
    ] {
        ask_exactly(
            serving.address(),
            &format!("GET /api/v1/{secret}?a={secret}"),
        )
        .header("Authorization", authorization)
        .header("X-Key", &format!("<{secret}>"))
        .send();
        let listed = serving.order(200, "GET /worlds/default/requests", NOTHING);
        assert_eq!(listed[0]["path"], "/api/v1/…");
        assert_eq!(listed[0]["query"], "a=…");
        assert!(listed.to_string().contains("<…>"), "{listed}");
        assert!(!listed.to_string().contains(secret), "{listed}");
        serving.order(204, "DELETE /worlds/default/requests", NOTHING);
    }
}

#[test]
fn what_came_is_compared_with_what_was_to_come() {
    let serving = serve(&[]);
    let line = "POST /worlds/default/requests/verify";
    serving
        .ask("PATCH /me/profile")
        .json(json!({"nickname": "Ada"}))
        .send();
    let request = json!({
        "method": "PATCH",
        "path": "/me/profile",
        "body_contains": {"display_name": "Ada"},
    });
    let verification = serving.order(200, line, json!({"request": request, "times": 1}));
    assert_eq!(verification["satisfied"], false);
    assert_eq!(
        verification["near_misses"][0]["sentence"],
        "PATCH /me/profile came, but with `nickname` and without `display_name`"
    );
    let refusals = json!({"request": {"status": 422}});
    assert_eq!(serving.order(200, line, refusals)["satisfied"], true);
    refused(
        &serving,
        400,
        line,
        json!({"request": {}, "times": 1, "at_least": 1}),
        "bad_body",
        "the body is not what is expected here: `times` stands beside `at_least` or `at_most`; \
         give either `times` or bounds at line 1 column 37",
    );
}

#[test]
fn whoever_waits_gets_the_request_or_the_reason() {
    let serving = serve(&[]);
    let line = "POST /worlds/default/requests/wait";
    let post = json!({"method": "POST", "path": "/me/posts"});
    thread::scope(|scope| {
        let waiting = scope.spawn(|| serving.order(200, line, json!({"request": post})));
        serving
            .ask("POST /me/posts")
            .json(json!({"body": "x"}))
            .data(201);
        let came = waiting.join().unwrap();
        assert_eq!(came[0]["body"], r#"{"body":"x"}"#);
    });
    let second = json!({"request": post, "times": 2, "within_milliseconds": 1});
    let told = serving.order(504, line, second);
    assert_eq!(told["error"]["code"], "not_in_time");
    let message = "expected POST /me/posts at least 2 times; it came once, as request 1\n\
                   nothing else came";
    assert_eq!(told["error"]["message"], message);
    assert_eq!(told["verification"]["found"], 1);
    refused(
        &serving,
        422,
        line,
        json!({"request": post, "within_milliseconds": 60_001}),
        "wait_too_long",
        "within_milliseconds is 60001; at most 60000 are allowed",
    );
}

#[test]
fn those_who_wait_hold_up_nobody() {
    let serving = serve(&[]);
    let wait = json!({"request": {"method": "DELETE"}, "within_milliseconds": 60_000});
    // More than there are threads for work that blocks.
    let waiting: Vec<_> = (0..520)
        .map(|_| {
            let ask = serving.control("POST /worlds/default/requests/wait");
            ask.body(wait.to_string()).begin()
        })
        .collect();
    serving.order(200, "GET /health", NOTHING);
    serving.ask("DELETE /me/links/link_1").send();
    for stream in waiting {
        assert_eq!(stream.finish().status, 200);
    }
}

#[test]
fn violations_are_told_and_forgiven() {
    let serving = serve(&[]);
    serving
        .ask("PATCH /me/profile")
        .json(json!({"nickname": "Ada", "bio": 7}))
        .send();
    let line = "/worlds/default/violations";
    let told = serving.order(200, &format!("GET {line}"), NOTHING);
    let rules: Vec<_> = told.as_array().unwrap().iter().collect();
    assert_eq!(rules.len(), 2);
    assert_eq!(
        (&rules[0]["rule"], &rules[0]["count"]),
        (&json!("unknown_field"), &json!(1))
    );
    assert_eq!(rules[0]["first"][0]["field"], "nickname");
    serving.order(204, &format!("DELETE {line}"), NOTHING);
    assert_eq!(
        serving.order(200, &format!("GET {line}"), NOTHING),
        json!([])
    );
    let coverage = serving.order(200, "GET /worlds/default/coverage", NOTHING);
    assert_eq!(coverage["endpoints"][1]["calls"], 1);
    assert_eq!(coverage["endpoints"][1]["refusals"]["wrong_type"], 1);
}

#[test]
fn verdicts_and_journals_are_of_one_world() {
    let serving = serve(&[]);
    let world = serving.order(201, "POST /worlds", json!({"dialect": "minimal"}));
    let at = |line: &str| {
        let (method, path) = line.split_once(' ').unwrap();
        format!("{method} /worlds/{}{path}", world["id"].as_str().unwrap())
    };
    let key = world["keys"]["none"].as_str().unwrap();
    let refusal = serving.ask("GET /me/analytics").key(key).send();
    assert_eq!((refusal.status, refusal.body.as_str()), (403, ""));
    for (line, others) in [("GET /requests", 0), ("GET /violations", 0)] {
        let of_world = serving.order(200, &at(line), NOTHING);
        assert_eq!(of_world.as_array().unwrap().len(), 1, "{line}");
        let of_default = line.replacen(' ', " /worlds/default", 1);
        let of_default = serving.order(200, &of_default, NOTHING);
        assert_eq!(of_default.as_array().unwrap().len(), others, "{line}");
    }
    let listed = serving.order(200, &at("GET /requests"), NOTHING);
    assert_eq!(listed[0]["key"], "none");
    serving.order(204, &at("POST /reset"), NOTHING);
    assert_eq!(
        serving.order(200, &at("GET /violations"), NOTHING),
        json!([])
    );
    let dialect = serving.order(200, &at("GET /dialect"), NOTHING);
    assert_eq!(dialect["error_body"], "empty", "the world was made so");
}
