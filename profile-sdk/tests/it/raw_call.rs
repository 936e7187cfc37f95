//! Calls to endpoints that are not in the specification.

use mock_server::journal::RequestPattern;
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule};
use profile_sdk::{ErrorKind, Method, Profile};
use serde_json::{Value, json};

use crate::mocked_service::{MockServer, respond_to_all};
use crate::{add_fault, connect_as_owner, owner_builder, requests};

#[tokio::test]
async fn calls_any_endpoint() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let edit = client.raw_call(Method::Patch, "/api/v1/me/profile");
    let edit = edit.json(&json!({"bio": "raw"})).read_data::<Profile>();
    assert_eq!(edit.await.unwrap().bio.as_deref(), Some("raw"));
    let whole = client.raw_call(Method::Get, "/api/v1/me").read::<Value>();
    assert_eq!(whole.await.unwrap()["data"]["bio"], "raw");
    let stats = client.raw_call(Method::Get, "/api/v1/users/demo/stats");
    let response = stats.query("days", 3).read_bytes().send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.body(), response.data());
    let put = client.raw_call(Method::Put, "/api/v1/me");
    let put = put.read_bytes().await;
    assert_eq!(put.unwrap_err().status(), Some(405));
}

#[tokio::test]
async fn raw_calls_have_the_same_errors_and_retries() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let call = client.raw_call(Method::Get, "/api/v1/nothing");
    let error = call.read_bytes().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let start = "GET /api/v1/nothing: 404: not found";
    assert!(error.to_string().starts_with(start), "{error}");
    add_fault(&service, FaultRule::new(Fault::status(503)));
    for (method, idempotent, attempts) in [
        (Method::Get, false, 4),
        (Method::Put, false, 4),
        (Method::Delete, false, 4),
        (Method::Post, false, 1),
        (Method::Patch, false, 1),
        (Method::Patch, true, 4),
    ] {
        service.journal().clear();
        let mut call = client.raw_call(method, "/api/v1/me/profile");
        if idempotent {
            call = call.idempotent();
        }
        let error = call.read_bytes().await.unwrap_err();
        assert_eq!(error.attempts(), attempts, "{method}");
        assert_eq!(requests(&service), attempts as usize);
        assert_eq!(error.may_have_been_applied(), method.is_write());
    }
}

#[tokio::test]
async fn a_missing_body_has_the_length_0_where_one_is_usual() {
    let service = MockServer::responding(ResponseTemplate::new(204)).await;
    let client = connect_as_owner(&service);
    for (method, length) in [
        (Method::Get, None),
        (Method::Delete, None),
        (Method::Post, Some("0")),
        (Method::Put, Some("0")),
        (Method::Patch, Some("0")),
    ] {
        client
            .raw_call(method, "/api/v1/x")
            .read_bytes()
            .await
            .unwrap();
        let received = service.wiremock().received_requests().await.unwrap();
        let headers = &received.last().unwrap().headers;
        let sent: Vec<_> = headers.get_all("content-length").iter().collect();
        assert_eq!(sent, length.as_slice(), "{method}");
        assert!(
            !headers.contains_key("content-type") && !headers.contains_key("transfer-encoding")
        );
    }
}

#[tokio::test]
async fn does_not_send_invalid_paths() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let paths = "|api/v1/me|//127.0.0.1:1/|http://127.0.0.1:1/|/api/../me|/api/%2e%2e/me|\
                 /\\127.0.0.1:1|/api/v1/me?x=1|/api/v1/me\n";
    for path in paths.split('|') {
        let call = client.raw_call(Method::Get, path).read_bytes();
        assert!(call.request().is_err(), "{path:?}");
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().starts_with("path "), "{error}");
    }
    assert_eq!(requests(&service), 0);
}

#[tokio::test]
async fn reports_the_path_of_a_decoding_error() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let read = client.raw_call(Method::Get, "/api/v1/stats");
    let error = read.read_data::<Vec<u8>>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    let start = "GET /api/v1/stats: data: invalid type: map, expected a sequence";
    assert!(error.to_string().starts_with(start), "{error}");
    assert!(!error.may_have_been_applied());
    let create = client.raw_call(Method::Post, "/api/v1/me/posts");
    let create = create.json(&json!({"body": "b"}));
    let error = create.read::<Vec<u8>>().await.unwrap_err();
    assert!(error.may_have_been_applied());
}

#[tokio::test]
async fn does_not_send_a_body_that_cannot_be_serialized() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let body = std::collections::HashMap::from([((1, 2), 3)]);
    let call = client.raw_call(Method::Post, "/api/v1/me/posts");
    let error = call.json(&body).read_bytes().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let start = "POST /api/v1/me/posts: could not serialize the body to JSON: ";
    assert!(error.to_string().starts_with(start), "{error}");
    assert_eq!(requests(&service), 0);
}

#[tokio::test]
async fn decodes_an_empty_body_as_null() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    respond_to_all(&service, ResponseTemplate::new(204)).await;
    let call = || client.raw_call(Method::Delete, "/api/v1/me/sessions");
    call().read::<()>().await.unwrap();
    call().read_data::<()>().await.unwrap();
    assert_eq!(call().read::<Option<u8>>().await.unwrap(), None);
    assert_eq!(call().read_data::<Option<u8>>().await.unwrap(), None);
    for error in [
        call().read::<u8>().await.unwrap_err(),
        call().read_data::<u8>().await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        let expected = "DELETE /api/v1/me/sessions: the response has no body; read it with \
                        `read_bytes`, or as an `Option`; the change may have been applied";
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn typed_and_raw_calls_send_their_headers() {
    let service = MockServer::start().await;
    let client = owner_builder(&service).default_header("x-tenant", "blue");
    let client = client.build().unwrap();
    let typed = client.create_post("p").header("Idempotency-Key", "canary");
    let typed = typed.header("X-Tenant", "green").header("x-tenant", "red");
    let raw = client.raw_call(Method::Get, "/api/v1/stats");
    let raw = raw.header("X-Tenant", "green").header("x-tenant", "red");
    let raw = raw.header("idempotency-key", "canary").read_bytes();
    assert!(!format!("{typed:?} {raw:?}").contains("canary"));
    typed.await.unwrap();
    raw.await.unwrap();
    for (method, path) in [("POST", "/me/posts"), ("GET", "/stats")] {
        let expected = RequestPattern::new(method, path).header("x-tenant", "red");
        let expected = expected.header("idempotency-key", "canary");
        service.expect_matching(expected).once();
    }
    client.me().await.unwrap();
    let expected = RequestPattern::new("GET", "/me").header("x-tenant", "blue");
    service.expect_matching(expected).once();
}

#[tokio::test]
async fn names_invalid_headers() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let reserved = "is reserved for the key; use ClientBuilder::api_key";
    for (name, value, reason) in [
        (
            "x-note",
            "canary\n",
            "has a value that contains a control character",
        ),
        ("Authorization", "Bearer canary", reserved),
    ] {
        let reason = format!("header \"{name}\" {reason}");
        let call = client.raw_call(Method::Get, "/api/v1/stats");
        let typed = client.me().header(name, value).await.unwrap_err();
        let invalid = typed.invalid_value().unwrap();
        assert_eq!(typed.to_string(), format!("GET /api/v1/me: {invalid}"));
        let error = call.header(name, value).read_bytes().await.unwrap_err();
        assert_eq!(typed.invalid_value(), error.invalid_value());
        assert_eq!(error.to_string(), format!("GET /api/v1/stats: {reason}"));
        assert_eq!(error.invalid_value().unwrap().field(), "header");
    }
    assert_eq!(requests(&service), 0);
}
