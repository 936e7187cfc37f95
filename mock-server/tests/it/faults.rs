//! Faults that are valid HTTP.

use std::time::{Duration, Instant};

use mock_server::{Clock, Fault, FaultRule, InvalidInput, MockServer};
use serde_json::{Value, json};

use crate::request::{Answer, request};

async fn answer(fault: Fault) -> Answer {
    let server = MockServer::start().await;
    server.add_fault(FaultRule::new(fault)).unwrap();
    request(&server, "GET /badges").send()
}

async fn badges() -> String {
    let server = MockServer::start().await;
    request(&server, "GET /badges").send().body
}

#[track_caller]
fn check_fault_body(answer: &Answer) {
    let expected = json!({"error": {
        "code": "fault",
        "message": "this response comes from a fault rule",
    }});
    assert_eq!(
        serde_json::from_str::<Value>(&answer.body).unwrap(),
        expected
    );
}

#[tokio::test]
async fn a_status_can_have_a_body_and_headers() {
    let found = answer(Fault::status(503)).await;
    assert_eq!(found.status, 503);
    check_fault_body(&found);

    let fault = json!({"status": {
        "status": 502,
        "body": "<html>",
        "headers": {"Content-Type": "text/html", "X-Trace": "1"},
    }});
    let found = answer(serde_json::from_value(fault).unwrap()).await;
    assert_eq!((found.status, found.body.as_str()), (502, "<html>"));
    assert_eq!(found.header("content-type"), Some("text/html"));
    assert_eq!(found.header("x-trace"), Some("1"));
}

#[tokio::test]
async fn a_rate_limit_can_have_any_retry_after() {
    for text in ["120", "-1", "Sun, 01 Mar 2026 12:00:00 GMT", "NaN"] {
        let found = answer(Fault::rate_limited(text)).await;
        assert_eq!(
            (found.status, found.header("retry-after")),
            (429, Some(text))
        );
        check_fault_body(&found);
    }
    let found = answer(Fault::RateLimited { retry_after: None }).await;
    assert_eq!((found.status, found.header("retry-after")), (429, None));
}

#[tokio::test]
async fn a_body_can_be_broken_mislabeled_or_missing() {
    let whole = badges().await;
    let found = answer(Fault::MalformedJson).await;
    assert_eq!(
        (found.status, found.body.as_str()),
        (200, &whole[..whole.len() - 1])
    );

    let content_type = "text/html; charset=utf-8".to_owned();
    let found = answer(Fault::WrongContentType { content_type }).await;
    assert_eq!(
        found.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!((found.status, found.body), (200, whole));

    let found = answer(Fault::EmptyBody).await;
    assert_eq!((found.status, found.body.as_str()), (200, ""));
    assert_eq!(found.header("content-length"), Some("0"));
    assert_eq!(found.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_redirect_can_have_any_location() {
    let found = answer(Fault::redirect("http://127.0.0.1:9/elsewhere")).await;
    assert_eq!(found.status, 302);
    assert_eq!(
        found.header("location"),
        Some("http://127.0.0.1:9/elsewhere")
    );
}

#[tokio::test]
async fn a_huge_body_is_json() {
    let found = answer(Fault::HugeBody { bytes: 1_000_000 }).await;
    assert_eq!(found.body.len(), 1_000_000);
    let body: Value = serde_json::from_str(&found.body).unwrap();
    assert_eq!(body["data"].as_str().unwrap().len(), 1_000_000 - 11);
}

#[tokio::test]
async fn a_delay_delays_the_response() {
    let server = MockServer::start().await;
    server.add_fault(FaultRule::new(Fault::delay(40))).unwrap();
    server
        .add_fault(FaultRule::new(Fault::delay(40)).after_write())
        .unwrap();
    let begun = Instant::now();
    request(&server, "GET /me").data(200);
    assert!(begun.elapsed() >= Duration::from_millis(80));
}

#[tokio::test]
async fn faults_apply_only_to_matching_requests() {
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::status(503))
        .method("PATCH")
        .path("/api/v1/me/links/{id}")
        .key("links");
    server.add_fault(rule).unwrap();
    let edit = |key: &str| {
        let edit = request(&server, "PATCH /me/links/link_1").key(key);
        edit.json(json!({"title": "x"})).send().status
    };
    assert_eq!(edit(&server.keys().links), 503);
    assert_eq!(edit(&server.keys().all), 200);
    request(&server, "GET /me")
        .key(&server.keys().links)
        .data(200);
    assert_eq!(
        request(&server, "DELETE /me/links/link_1").send().status,
        204
    );
}

#[tokio::test]
async fn a_rule_skips_and_limits_requests() {
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::status(500)).skip(1).times(2);
    server.add_fault(rule).unwrap();
    let statuses = [(); 4].map(|()| request(&server, "GET /me").send().status);
    assert_eq!(statuses, [200, 500, 500, 200]);
}

#[tokio::test]
async fn a_rule_expires_by_the_clock_of_the_world() {
    let clock = |instant| Clock::fixed(instant).unwrap();
    let server = MockServer::builder().clock(clock("2026-03-01T11:00:00Z"));
    let server = server.start().await.unwrap();
    let rule = FaultRule::new(Fault::status(500)).until("2026-03-01T12:00:00Z");
    server.add_fault(rule).unwrap();
    for (instant, status) in [
        ("2026-03-01T11:00:00Z", 500),
        ("2026-03-01T12:00:00Z", 500),
        ("2026-03-01T12:00:01Z", 200),
    ] {
        server
            .update(|world| world.set_clock(clock(instant)))
            .unwrap();
        assert_eq!(
            request(&server, "GET /me").send().status,
            status,
            "{instant}"
        );
    }
}

#[tokio::test]
async fn the_same_seed_produces_the_same_faults() {
    let mut runs = Vec::new();
    for seed in [7, 7, 8] {
        let server = MockServer::builder().seed(seed).start().await.unwrap();
        let rule = FaultRule::new(Fault::status(500)).probability(0.5);
        server.add_fault(rule).unwrap();
        runs.push([(); 32].map(|()| request(&server, "GET /badges").without_key().send().status));
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
    assert!(runs[0].contains(&500) && runs[0].contains(&200));
}

#[tokio::test]
async fn the_phase_decides_if_the_write_happens() {
    let server = MockServer::start().await;
    let post = || {
        request(&server, "POST /me/posts")
            .json(json!({"body": "x"}))
            .send()
    };
    let posts = || server.world().unwrap().account("demo").unwrap().posts.len();
    let lost = FaultRule::new(Fault::EmptyBody).times(1);
    server.add_fault(lost.clone()).unwrap();
    let before = post();
    assert_eq!((before.status, posts()), (201, 1));
    server.add_fault(lost.after_write()).unwrap();
    let after = post();
    assert_eq!((after.status, posts()), (201, 2));
    server.clear_faults();
    assert_eq!(post().status, 201);
}

#[tokio::test]
async fn rejects_a_rule_that_can_never_apply() {
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::EmptyBody);
    let error: InvalidInput = server.add_fault(rule.path("/api/v1/me/link")).unwrap_err();
    assert_eq!(error.code(), "unmatchable_pattern");
    assert_eq!(
        error.to_string(),
        "no endpoint has the path `/api/v1/me/link`; expected one of /me, /me/profile, \
         /me/analytics, /me/links, /me/links/{id}, /me/posts, /me/posts/{id}, \
         /users/{handle}/stats, /badges, /stats, or a prefix that ends with *"
    );
    request(&server, "GET /badges").data(200);
}

#[tokio::test]
async fn rejects_an_invalid_rule() {
    let server = MockServer::start().await;
    let rule = || FaultRule::new(Fault::EmptyBody);
    let status = |status| FaultRule::new(Fault::status(status));
    let with_header = |name: &str| {
        let fault = json!({"status": {"status": 503, "headers": {name: "7"}}});
        FaultRule::new(serde_json::from_value(fault).unwrap())
    };
    let delay =
        |delay: Value| FaultRule::new(serde_json::from_value(json!({"delay": delay})).unwrap());
    for (rule, message) in [
        (
            rule().probability(1.5),
            "the probability is 1.5; expected a number greater than 0 and at most 1",
        ),
        (
            rule().probability(f64::NAN),
            "the probability is NaN; expected a number greater than 0 and at most 1",
        ),
        (
            rule().until("noon"),
            "until: `noon` is not an RFC 3339 instant from the year 1 to 9999-12-30T22:00:00Z, such \
             as 2026-03-01T12:00:00Z",
        ),
        (
            status(100),
            "the status is 100; expected 200 to 999 for this fault",
        ),
        (
            with_header("Content-Length"),
            "the header `Content-Length` cannot be set; it is derived from the body",
        ),
        (
            with_header("transfer-encoding"),
            "the header `transfer-encoding` cannot be set; it is derived from the body",
        ),
        (
            FaultRule::new(Fault::rate_limited("1\r\n2")),
            "the value of the header `retry-after` contains invalid characters",
        ),
        (
            delay(json!({"uniform": {"from": 2, "to": 1}})),
            "the delay ranges from 2 to 1; expected `from` to be at most `to`",
        ),
        (
            delay(json!({"log_normal": {"median": 2, "sigma": -1.0}})),
            "sigma is -1; expected a number from 0 to 10",
        ),
        (
            FaultRule::new(Fault::HugeBody { bytes: 0 }),
            "the body has 0 bytes; expected at least 11",
        ),
    ] {
        let error: InvalidInput = server.add_fault(rule).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    request(&server, "GET /badges").data(200);
}
