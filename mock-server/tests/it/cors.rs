//! Web pages of other origins, as a socket sees them. `browser.rs` shows what a browser makes of it.

use mock_server::{Fault, FaultRule, MockServer, RateLimit};
use serde_json::json;

use crate::request::{Answer, TestRequest, request};

const ORIGIN: &str = "http://localhost:3000";

fn from_page(request: TestRequest) -> TestRequest {
    request.header("Origin", ORIGIN)
}

fn preflight(server: &MockServer, path: &str) -> Answer {
    let request = request(server, &format!("OPTIONS {path}")).without_key();
    from_page(request)
        .header("Access-Control-Request-Method", "PATCH")
        .header(
            "Access-Control-Request-Headers",
            "authorization,content-type",
        )
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
            assert_eq!(answer.header("access-control-expose-headers"), Some("*"));
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
    let limit = RateLimit {
        limit: 1,
        ..RateLimit::default()
    };
    let key = server.key().to_owned();
    server
        .update(|world| world.set_rate_limit(&key, limit))
        .unwrap()
        .unwrap();
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
async fn pages_cannot_read_other_paths() {
    let server = MockServer::builder().cors("*").unwrap();
    let server = server.start().await.unwrap();
    let answer = crate::request::request_exactly(server.address(), "GET /other").send();
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn rejects_a_value_that_is_not_an_origin() {
    let error = MockServer::builder()
        .cors("http://localhost:3000/")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`http://localhost:3000/` is not an origin; expected * or a scheme, a host in lower case \
         and a port, such as http://localhost:3000"
    );
}
