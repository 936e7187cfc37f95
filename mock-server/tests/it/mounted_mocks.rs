//! wiremock mocks that a test mounts in addition to the service.

use mock_server::wiremock::matchers::{method, path};
use mock_server::wiremock::{Mock, ResponseTemplate};
use mock_server::{Fault, FaultRule, MockServer, WireFault};
use serde_json::json;

use crate::request::{request, request_exactly};

#[tokio::test]
async fn apply_before_the_service_up_to_their_limit() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/api/v1/me/posts"))
        .respond_with(ResponseTemplate::new(503))
        .with_priority(254)
        .up_to_n_times(1)
        .expect(1)
        .mount(server.wiremock())
        .await;
    let post = || request(&server, "POST /me/posts").json(json!({"body": "x"}));
    assert_eq!(post().send().status, 503);
    assert_eq!(post().data(201)["id"], "post_6");
    request(&server, "GET /me").data(200);
}

#[tokio::test]
async fn all_other_requests_reach_the_service_as_they_were_sent() {
    let server = MockServer::start().await;
    Mock::given(path("/api/v1/badges"))
        .respond_with(ResponseTemplate::new(418))
        .mount(server.wiremock())
        .await;
    let answer = request(&server, "GET /me").send();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-mock-server-unmatched"), None);
    let outside = request_exactly(server.address(), "GET /api/v1/%2e%2e/v1/stats").send();
    assert_eq!(outside.status, 404);
    let large = vec![b' '; 2 * 1024 * 1024];
    let large = request(&server, "POST /me/posts")
        .header("Content-Type", "application/json")
        .body(large);
    assert_eq!(large.send().status, 413);
    let reset = Fault::Wire(WireFault::Cut { after: 2 });
    server.add_fault(FaultRule::new(reset)).unwrap();
    assert_eq!(request(&server, "GET /stats").send().body, r#"{""#);
    assert_eq!(request(&server, "GET /badges").send().status, 418);
    let paths: Vec<_> = server
        .journal()
        .requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(
        paths,
        [
            "/api/v1/me",
            "/api/v1/%2e%2e/v1/stats",
            "/api/v1/me/posts",
            "/api/v1/stats"
        ]
    );
}

#[tokio::test]
async fn reset_removes_all_mocks_and_keeps_the_world() {
    let server = MockServer::start().await;
    request(&server, "DELETE /me/links/link_1").send();
    let world = server.world().unwrap();
    Mock::given(path("/api/v1/badges"))
        .respond_with(ResponseTemplate::new(418))
        .mount(server.wiremock())
        .await;
    assert_eq!(request(&server, "GET /badges").send().status, 418);
    server.reset_mocks().await;
    request(&server, "GET /badges").data(200);
    assert_eq!(server.world().unwrap(), world);
}

#[tokio::test]
#[should_panic(expected = "Mock #1.\n\tExpected range of matching incoming requests: == 1")]
async fn are_verified_when_the_server_is_dropped() {
    let server = MockServer::start().await;
    Mock::given(path("/api/v1/me"))
        .respond_with(ResponseTemplate::new(200))
        .expect(1)
        .mount(server.wiremock())
        .await;
}
