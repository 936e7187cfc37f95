//! Web pages of other origins, as a socket sees them. `browser.rs` shows what a browser makes of it.

use std::time::Duration;

use mock_server::{Fault, FaultRule, MockServer};
use serde_json::json;

use crate::request::{Answer, TestRequest, limit_requests, request, request_exactly};

const ORIGIN: &str = "http://localhost:3000";

fn from_page(request: TestRequest) -> TestRequest {
    request.header("Origin", ORIGIN)
}

fn preflight(server: &MockServer, path: &str) -> Answer {
    let request = from_page(request(server, &format!("OPTIONS {path}")).without_key());
    let request = request.header("Access-Control-Request-Method", "PATCH");
    let headers = "authorization,content-type";
    request
        .header("Access-Control-Request-Headers", headers)
        .send()
}

#[tokio::test]
async fn preflights_are_accepted_and_responses_can_be_read() {
    for (origin, vary) in [("*", None), (ORIGIN, Some("origin"))] {
        let builder = MockServer::builder().cors(origin).unwrap();
        let server = builder.start().await.unwrap();
        let accepted = preflight(&server, "/me/profile");
        assert_eq!((accepted.status, &*accepted.body), (204, ""));
        for (name, value) in [
            ("access-control-allow-methods", "PATCH"),
            ("access-control-allow-headers", "authorization,content-type"),
        ] {
            assert_eq!(accepted.header(name), Some(value));
        }
        let edited = from_page(request(&server, "PATCH /me/profile")).json(json!({"bio": "New"}));
        let rejected = from_page(request(&server, "GET /me")).key("wrong");
        for answer in [accepted, edited.send(), rejected.send()] {
            assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
            let exposed = answer.header("access-control-expose-headers").unwrap();
            let credentials = answer.header("access-control-allow-credentials");
            let found = (exposed.contains('*'), exposed.contains("date"), credentials);
            // With credentials, `*` would be a name.
            let expected = match vary {
                None => (true, false, None),
                Some(_) => (false, true, Some("true")),
            };
            assert_eq!(found, expected, "{exposed}");
            assert_eq!(answer.header("vary"), vary);
        }
    }
}

#[tokio::test]
async fn without_cors_responses_have_no_such_headers() {
    let server = MockServer::start().await;
    let rejected = preflight(&server, "/me/profile");
    assert_eq!(rejected.status, 405);
    let read = from_page(request(&server, "GET /me")).send();
    assert_eq!(read.status, 200);
    for answer in [rejected, read] {
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    server.assert_no_violations();
}

#[tokio::test]
async fn preflights_count_nowhere() {
    let server = MockServer::builder().cors("*").unwrap();
    let server = server.start().await.unwrap();
    limit_requests(&server, 1);
    server
        .add_fault(FaultRule::new(Fault::status(503)).times(1))
        .unwrap();
    for path in ["/me", "/me", "/unknown"] {
        assert_eq!(preflight(&server, path).status, 204);
    }
    let unrouted = server.report().coverage.uncovered().unrouted;
    assert!(unrouted.contains(&"method_not_allowed"));
    assert_eq!(request(&server, "GET /me").send().status, 503);
    for _ in 0..3 {
        assert_eq!(request(&server, "HEAD /me/posts").send().status, 405);
    }
    assert_eq!(request(&server, "GET /me").send().status, 200);
    assert_eq!(request(&server, "GET /me").send().status, 429);
    server.assert_no_violations();
}

#[tokio::test]
async fn every_answer_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.json");
    let builder = MockServer::builder().cors(ORIGIN).unwrap();
    let server = builder.state_file(&path).start().await.unwrap();
    let at = |line: &str| from_page(request_exactly(server.address(), line));
    let large = "x".repeat(1024 * 1024 + 1);
    let lines = "GET /other|GET /api/v2/me|GET //api/v1/me|GET /api/v1|GET /favicon.ico|\
                 OPTIONS /api/v1/me|TRACE /api/v1/me";
    let mut answers: Vec<_> = lines.split('|').map(|line| at(line).send()).collect();
    answers.push(at("POST /api/v1/me/posts").body(large).send());
    // So that the page sees the 404.
    let accepted = at("OPTIONS /api/v2/me").header("Access-Control-Request-Method", "PATCH");
    answers.push(accepted.send());
    assert_eq!(answers.last().unwrap().status, 204);
    let once = FaultRule::new(Fault::status(503)).times(1);
    server.add_fault(once).unwrap();
    answers.push(at("GET /api/v1/me").send());
    std::fs::write(&path, "{").unwrap();
    answers.push(at("GET /api/v1/me").send());
    assert_eq!(answers.last().unwrap().status, 500);
    for answer in answers {
        let allowed = answer.header("access-control-allow-origin");
        assert_eq!(allowed, Some(ORIGIN), "{answer:?}");
        // Not the origin of the request, and never with `*`.
        let credentials = answer.header("access-control-allow-credentials");
        assert_eq!(credentials, Some("true"), "{answer:?}");
    }
    let other = request(&server, "GET /badges").header("Origin", "https://other.example");
    let allowed = other.send();
    assert_eq!(allowed.header("access-control-allow-origin"), Some(ORIGIN));
}

#[tokio::test]
async fn violations_of_other_pages_count_only_with_cors() {
    for (headers, is_foreign) in [
        (&[("Origin", "https://other.example")][..], true),
        (&[("Origin", "null")], true),
        (&[("Sec-Fetch-Site", "Cross-Site")], true),
        (&[("Sec-Fetch-Site", "same-site")], true),
        (&[("Sec-Fetch-Site", "same-origin")], false),
        (&[("Sec-Fetch-Site", "none")], false),
        (&[("Sec-Fetch-Mode", "cors")], false),
        (&[], false),
    ] {
        for allows_pages in [false, true] {
            let builder = match allows_pages {
                false => MockServer::builder(),
                true => MockServer::builder().cors("*").unwrap(),
            };
            let server = builder.start().await.unwrap();
            let delay = FaultRule::new(Fault::delay(Duration::from_millis(1)));
            server.add_fault(delay.skip(1)).unwrap();
            for _ in 0..2 {
                let edit = request(&server, "PATCH /me/profile").json(json!({"nick": 1}));
                let headers = headers.iter();
                let edit = headers.fold(edit, |edit, (name, value)| edit.header(name, value));
                assert_eq!(edit.send().status, 422);
            }
            let counted = server.report().violations().count();
            let expected = if is_foreign && !allows_pages { 0 } else { 2 };
            assert_eq!(counted, expected, "{headers:?}");
            for recorded in server.journal().requests() {
                assert_eq!(recorded.violations.len(), 1, "{headers:?}");
                assert_eq!(recorded.cross_origin, is_foreign, "{headers:?}");
            }
        }
    }
    // The page of the server itself.
    let server = MockServer::start().await;
    let own = format!("http://{}", server.address());
    let edit = request(&server, "PATCH /me/profile").header("Origin", &own);
    edit.json(json!({"nick": 1})).send();
    assert_eq!(server.report().violations().count(), 1);
}

#[tokio::test]
async fn each_of_several_origins_can_be_used() {
    const OTHER: &str = "https://app.example";
    for (origins, sent, allowed) in [
        (&[ORIGIN, OTHER][..], ORIGIN, ORIGIN),
        (&[ORIGIN, OTHER], OTHER, OTHER),
        (&[ORIGIN, OTHER], "https://evil.example", ORIGIN),
        (&[ORIGIN, "*"], ORIGIN, ORIGIN),
        (&[ORIGIN, "*"], OTHER, "*"),
    ] {
        let mut builder = MockServer::builder();
        for origin in origins {
            builder = builder.cors(origin).unwrap();
        }
        let server = builder.start().await.unwrap();
        let read = request(&server, "GET /me").header("Origin", sent).send();
        let preflight = request(&server, "OPTIONS /me").header("Origin", sent);
        let preflight = preflight.header("Access-Control-Request-Method", "GET");
        for answer in [read, preflight.send()] {
            assert_eq!(answer.header("access-control-allow-origin"), Some(allowed));
            assert_eq!(answer.header("vary"), Some("origin"));
            let expected = (allowed != "*").then_some("true");
            let credentials = answer.header("access-control-allow-credentials");
            assert_eq!(credentials, expected);
        }
    }
}

#[test]
fn rejects_a_value_that_is_not_an_origin() {
    let rejected = MockServer::builder().cors("http://localhost:3000/");
    let expected = "`http://localhost:3000/` is not an origin; expected * or a scheme, a host in lower case \
                    and a port, such as http://localhost:3000";
    assert_eq!(rejected.unwrap_err().to_string(), expected);
}
