//! Faults that are valid HTTP.

use std::time::{Duration, Instant};

use mock_server::faults::Phase;
use mock_server::journal::{RequestOutcome, RequestPattern};
use mock_server::{Clock, Fault, FaultRule, InvalidInput, MockServer, WireFault};
use serde_json::{Value, json};

use crate::request::{Answer, limit_requests, request};

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
    let message = "this response comes from a fault rule";
    let expected = json!({"error": {"code": "fault", "message": message}});
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body, expected);
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
        assert_eq!(found.status, 429);
        assert_eq!(found.header("retry-after"), Some(text));
        check_fault_body(&found);
    }
    let found = answer(Fault::RateLimited { retry_after: None }).await;
    assert_eq!((found.status, found.header("retry-after")), (429, None));
}

#[tokio::test]
async fn a_body_can_be_broken_mislabeled_or_missing() {
    let whole = badges().await;
    let found = answer(Fault::MalformedJson).await;
    let part = &whole[..whole.len() - 1];
    assert_eq!((found.status, found.body.as_str()), (200, part));

    let content_type = "text/html; charset=utf-8";
    let mislabeled = Fault::WrongContentType {
        content_type: content_type.to_owned(),
    };
    let found = answer(mislabeled).await;
    assert_eq!(found.header("content-type"), Some(content_type));
    assert_eq!((found.status, found.body), (200, whole));

    let found = answer(Fault::EmptyBody).await;
    assert_eq!((found.status, found.body.as_str()), (200, ""));
    assert_eq!(found.header("content-length"), Some("0"));
    assert_eq!(found.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_redirect_can_have_any_location() {
    let location = "http://127.0.0.1:9/elsewhere";
    let found = answer(Fault::redirect(location)).await;
    assert_eq!(
        (found.status, found.header("location")),
        (302, Some(location))
    );
}

#[tokio::test]
async fn a_delay_delays_the_response() {
    let server = MockServer::start().await;
    let delay = FaultRule::new(Fault::delay(Duration::from_millis(40)));
    server.add_fault(delay.clone()).unwrap();
    server.add_fault(delay.after_write()).unwrap();
    let begun = Instant::now();
    request(&server, "GET /me").data(200);
    assert!(begun.elapsed() >= Duration::from_millis(80));
    let requests = server.journal().requests();
    assert_eq!(requests.len(), 1);
    let recorded = (requests[0].outcome, requests[0].status);
    assert_eq!(recorded, (RequestOutcome::Responded, Some(200)));
}

#[tokio::test]
async fn a_fault_lasts_for_a_time_on_the_clock_of_the_world_and_ends_for_good() {
    let server = MockServer::start().await;
    let set = |time| {
        let clock = Clock::fixed(&format!("2026-03-01T{time}Z")).unwrap();
        server.update(|world| world.set_clock(clock)).unwrap();
    };
    // The clock passes the end, or is set back to a time before the rule was added.
    for end in ["12:01:00", "11:59:59"] {
        set("12:00:00");
        let rule = FaultRule::new(Fault::status(503)).lasting(Duration::from_secs(60));
        server.add_fault(rule).unwrap();
        for (time, status) in [
            ("12:00:00", 503),
            ("12:00:59", 503),
            ("12:00:01", 503),
            (end, 200),
            ("12:00:30", 200),
        ] {
            set(time);
            let found = request(&server, "GET /badges").send().status;
            assert_eq!(found, status, "{time}");
        }
    }
}

#[tokio::test]
async fn faults_apply_only_to_matching_requests() {
    let server = MockServer::start().await;
    let edits = RequestPattern::new("PATCH", "/api/v1/me/links/{id}").key("links");
    let edits = edits.body_contains(json!({"title": "x"}));
    let rule = FaultRule::new(Fault::status(503)).matching(edits);
    server.add_fault(rule).unwrap();
    let edit = |key: &str, title: &str| {
        let edit = request(&server, "PATCH /me/links/link_1").key(key);
        edit.json(json!({ "title": title })).send().status
    };
    let keys = server.keys();
    assert_eq!(edit(&keys.links, "x"), 503);
    assert_eq!(edit(&keys.all, "x"), 200);
    assert_eq!(edit(&keys.links, "y"), 200);
    request(&server, "GET /me").key(&keys.links).data(200);
    let deleted = request(&server, "DELETE /me/links/link_1").send();
    assert_eq!(deleted.status, 204);
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
    server.add_fault(lost.clone().before_write()).unwrap();
    let before = post();
    assert_eq!((before.status, posts()), (201, 1));
    server.add_fault(lost.after_write()).unwrap();
    let after = post();
    assert_eq!((after.status, posts()), (201, 2));
    server.clear_faults();
    assert_eq!(post().status, 201);
}

#[tokio::test]
async fn a_late_write_is_carried_out_after_its_response() {
    let hour = Duration::from_secs(3600);
    let wire = Fault::Wire;
    for (fault, outcome) in [
        (Fault::status(504), RequestOutcome::Responded),
        (wire(WireFault::Close), RequestOutcome::ConnectionFault),
        (
            wire(WireFault::Reset { after: None }),
            RequestOutcome::ConnectionFault,
        ),
    ] {
        let server = MockServer::start().await;
        let status = matches!(fault, Fault::Status { .. }).then_some(504);
        let add = |time| {
            let late = FaultRule::new(fault.clone()).late_write(time).times(1);
            server.add_fault(late).unwrap();
        };
        let post = |body: &str| {
            let post = request(&server, "POST /me/posts").json(json!({ "body": body }));
            let answer = post.begin().read_until_closed();
            assert_eq!(answer.contains(" 504 "), status.is_some(), "{answer}");
            let sent = server.journal().requests();
            let last = sent.last().unwrap().clone();
            assert_eq!(last.status, status);
            (sent.len(), last.outcome)
        };
        let posts = || {
            server
                .world()
                .unwrap()
                .account("demo")
                .unwrap()
                .posts
                .clone()
        };
        add(hour);
        assert_eq!(post("too late"), (1, RequestOutcome::Late));

        // The key is checked at once, and its limit counts.
        add(Duration::from_millis(50));
        limit_requests(&server, 2);
        post("late");
        let limited = request(&server, "GET /me").send();
        assert_eq!(limited.status, 429);
        while posts().len() == 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(posts()[1].body, "late");
        server
            .expect_matching(RequestPattern::new("POST", "/me/posts"))
            .times(2);
        while server.journal().requests()[1].outcome != outcome {
            tokio::task::yield_now().await;
        }
        add(Duration::ZERO);
        assert_eq!(post("rejected"), (4, outcome));
        assert_eq!(posts().len(), 2);
    }
}

/// A client that gets a damaged success must find what it wrote.
#[tokio::test]
async fn a_damaged_response_follows_the_write_by_default() {
    let content_type = "text/html".to_owned();
    for fault in [
        Fault::MalformedJson,
        Fault::EmptyBody,
        Fault::WrongContentType { content_type },
        Fault::Wire(WireFault::Cut { after: 3 }),
    ] {
        let server = MockServer::start().await;
        server.add_fault(FaultRule::new(fault.clone())).unwrap();
        let post = request(&server, "POST /me/posts").json(json!({"body": "x"}));
        assert_eq!(post.send().status, 201);
        let posts = server.world().unwrap().account("demo").unwrap().posts.len();
        assert_eq!(posts, 2, "{fault:?}");
        let written = json!({"fault": fault});
        let rule = &FaultRule::from_json(&written.to_string()).unwrap()[0];
        assert_eq!(rule.phase(), Phase::After);
    }
    for fault in [
        Fault::status(503),
        Fault::Wire(WireFault::Reset { after: None }),
        Fault::Wire(WireFault::Close),
    ] {
        assert_eq!(FaultRule::new(fault).phase(), Phase::Before);
    }
}

#[tokio::test]
async fn rejects_a_pattern_that_no_request_can_match() {
    let server = MockServer::start().await;
    let unknown_method = "expected one of GET, POST, PATCH, DELETE, PUT, HEAD, OPTIONS";
    let unknown_key = "expected one of all, none, profile, analytics, links, social, other, \
                       unknown, or a name such as key7";
    let any = RequestPattern::any;
    for (pattern, message) in [
        (any().method("get"), "unknown method \"get\""),
        (any().method("BREW"), "unknown method \"BREW\""),
        (any().method("GE T"), "unknown method \"GE T\""),
        (any().key("link"), "no key has the name \"link\""),
        (any().key("key"), "no key has the name \"key\""),
        (
            any().key(&server.keys().links),
            "no key has the name \"mock_links_…\"",
        ),
    ] {
        let unknown = if message.contains("method") {
            unknown_method
        } else {
            unknown_key
        };
        let rule = FaultRule::new(Fault::EmptyBody).matching(pattern.clone());
        let error = server.add_fault(rule).unwrap_err();
        assert_eq!(error.code(), "unmatchable_pattern");
        assert_eq!(error.to_string(), format!("{message}; {unknown}"));
        let expecting = std::panic::AssertUnwindSafe(|| server.expect_matching(pattern).never());
        assert!(std::panic::catch_unwind(expecting).is_err());
    }
    for pattern in [
        any().status(200),
        any().fault("reset"),
        any().key("unknown"),
    ] {
        let rule = FaultRule::new(Fault::EmptyBody).matching(pattern.clone());
        let error = server.add_fault(rule).unwrap_err();
        assert_eq!(error.code(), "unmatchable_pattern");
        server.expect_matching(pattern).never();
    }
}

#[tokio::test]
async fn rejects_an_invalid_rule() {
    let server = MockServer::start().await;
    let status = |status| FaultRule::new(Fault::status(status));
    let with_header = |name: &str| {
        let fault = json!({"status": {"status": 503, "headers": {name: "7"}}});
        FaultRule::new(serde_json::from_value(fault).unwrap())
    };
    let derived = "cannot be set; it is derived from the body";
    for (rule, message) in [
        (
            status(100),
            "the status is 100; expected 200 to 999 for this fault",
        ),
        (
            with_header("Content-Length"),
            &format!("the header `Content-Length` {derived}"),
        ),
        (
            with_header("transfer-encoding"),
            &format!("the header `transfer-encoding` {derived}"),
        ),
        (
            FaultRule::new(Fault::rate_limited("1\r\n2")),
            "the value of the header `retry-after` contains invalid characters",
        ),
    ] {
        let error: InvalidInput = server.add_fault(rule).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    request(&server, "GET /badges").data(200);
}
