//! The service as a responder of wiremock.

use std::time::Duration;

use mock_server::journal::RequestOutcome;
use mock_server::wiremock::matchers::{any, method, path};
use mock_server::wiremock::{self, Mock, ResponseTemplate};
use mock_server::{Dialect, Fault, FaultRule, MockServer, ServiceHandle, WireFault};
use serde_json::json;

use crate::request::{TestRequest, request_at};

/// Returns a service and the wiremock server on which it is mounted.
async fn mount() -> (ServiceHandle, wiremock::MockServer) {
    let service = MockServer::builder().seed(7).build().unwrap();
    let server = wiremock::MockServer::start().await;
    let all = Mock::given(any()).respond_with(service.clone());
    all.with_priority(255).mount(&server).await;
    (service, server)
}

fn send(service: &ServiceHandle, server: &wiremock::MockServer, line: &str) -> TestRequest {
    request_at(*server.address(), service.key(), line)
}

#[tokio::test]
async fn the_mocks_of_a_test_come_first() {
    let service = MockServer::builder().seed(7).build().unwrap();
    let server = wiremock::MockServer::start().await;
    let badges = Mock::given(path("/api/v1/badges")).respond_with(ResponseTemplate::new(503));
    let badges = badges.mount_as_scoped(&server).await;
    Mock::given(method("POST"))
        .and(path("/api/v1/me/posts"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .expect(1)
        .mount(&server)
        .await;
    let all = Mock::given(any()).respond_with(service.clone());
    all.mount(&server).await;
    assert_eq!(send(&service, &server, "GET /badges").send().status, 503);
    drop(badges);
    send(&service, &server, "GET /badges").data(200);
    let post = || send(&service, &server, "POST /me/posts").json(json!({"body": "x"}));
    assert_eq!(post().send().status, 503);
    assert_eq!(post().data(201)["id"], "post_6");
    send(&service, &server, "GET /me").data(200);
    service.expect("POST", "/me/posts").once();
    let world = service.world().unwrap();
    assert_eq!(world.account("demo").unwrap().posts.len(), 2);
}

#[tokio::test]
async fn has_dialects_a_report_and_a_journal() {
    let (service, server) = mount().await;
    service.set_dialect(Dialect::minimal()).unwrap();
    let edit = send(&service, &server, "PATCH /me/profile").json(json!({"nickname": "x"}));
    let rejected = edit.send();
    let expected = MockServer::builder().seed(7).dialect(Dialect::minimal());
    let expected = expected.start().await.unwrap();
    let same = crate::request::request(&expected, "PATCH /me/profile");
    let same = same.json(json!({"nickname": "x"})).send();
    assert_eq!((rejected.status, rejected.body), (same.status, same.body));
    assert_eq!(service.report(), expected.report());
    let recorded = &service.journal().requests()[0];
    assert_eq!(recorded.outcome, RequestOutcome::HandedOver);
    assert_eq!(recorded.status, Some(rejected.status));
    assert_eq!(recorded.key.as_deref(), Some("all"));
}

#[tokio::test]
async fn faults_of_the_response_apply_and_those_of_the_connection_are_rejected() {
    let (service, server) = mount().await;
    let close = FaultRule::new(Fault::Wire(WireFault::Close));
    let error = service.add_fault(close).unwrap_err();
    assert_eq!(error.code(), "no_connection");
    let expected = "the fault `close` needs a connection, which a responder of wiremock does not have; \
                    use `MockServer`";
    assert_eq!(error.to_string(), expected);
    let late = FaultRule::new(Fault::status(503)).late_write(Duration::ZERO);
    let error = service.add_fault(late).unwrap_err().to_string();
    assert_eq!(error, expected.replace("close", "late"));
    let huge = FaultRule::new(Fault::HugeBody { bytes: 100_000 });
    service.add_fault(huge.times(1)).unwrap();
    let badges = || send(&service, &server, "GET /badges");
    assert_eq!(badges().send().body.len(), 100_000);
    let delay = FaultRule::new(Fault::delay(Duration::from_millis(40)));
    service.add_fault(delay).unwrap();
    let begun = std::time::Instant::now();
    badges().data(200);
    assert!(begun.elapsed() >= Duration::from_millis(40));
}

#[tokio::test]
async fn a_handle_of_a_server_is_a_responder_too() {
    let service = MockServer::start().await;
    let server = wiremock::MockServer::start().await;
    let handle = ServiceHandle::clone(&service);
    Mock::given(any()).respond_with(handle).mount(&server).await;
    send(&service, &server, "GET /badges").data(200);
    let close = FaultRule::new(Fault::Wire(WireFault::Close));
    service.add_fault(close).unwrap();
    let failed = send(&service, &server, "GET /badges").send();
    assert_eq!(failed.status, 500);
    let reason = "needs `MockServer`";
    assert!(failed.body.contains(reason), "{}", failed.body);
}
