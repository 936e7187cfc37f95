//! Each kind of error and its message.

use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{Error, ErrorKind, Handle, LinkId, LinkUpdate};

use crate::mocked_service::{MockServer, respond_to_all};
use crate::{client_builder, client_builder_for, connect_as_owner};

#[tokio::test]
async fn does_not_send_a_call_without_a_key() {
    let client = client_builder_for("http://127.0.0.1:1").build().unwrap();
    let error = client.me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMissing);
    let expected = "GET /api/v1/me: this call requires an API key; set one with ClientBuilder::api_key, \
                    or with PROFILE_API_KEY and Client::from_env";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_403_with_another_explanation_is_not_a_missing_scope() {
    let forbidden = || ResponseTemplate::new(403);
    let page = "\n<!DOCTYPE html><title>Access denied</title>";
    for response in [
        forbidden().insert_header("retry-after", "60"),
        forbidden().insert_header("x-ratelimit-remaining", "0"),
        forbidden().insert_header("ratelimit-remaining", "0"),
        forbidden().set_body_raw(page, "text/html"),
    ] {
        let (_, error) = respond_and_call(response).await;
        assert_eq!(error.kind(), ErrorKind::Forbidden);
        assert_eq!(error.missing_scope(), None);
        let start = "POST /api/v1/me/posts: 403: the service does not permit this call, \
                     which requires the scope social:write";
        assert!(error.to_string().starts_with(start), "{error}");
    }
    let remaining = forbidden().insert_header("x-ratelimit-remaining", "7");
    for response in [forbidden(), remaining] {
        let (_, error) = respond_and_call(response).await;
        assert_eq!(error.missing_scope().unwrap().as_str(), "social:write");
    }
    let (_, error) = respond_and_call(ResponseTemplate::new(401)).await;
    assert_eq!(error.missing_scope(), None);
}

#[tokio::test]
async fn the_body_of_a_403_says_whether_a_scope_is_missing() {
    let forbidden = || ResponseTemplate::new(403);
    let other = "the service does not permit this call";
    let lacking = "the key lacks the scope social:write";
    let named = r#"{"error":{"code":"x1","message":"social:write is needed for this call"}}"#;
    let suspended =
        r#"{"error":{"code":"account_suspended","message":"your account is suspended"}}"#;
    let network = r#"{"message":"this key may only be used from an allowed network"}"#;
    for (body, expected) in [
        ("", lacking),
        ("forbidden", lacking),
        ("access denied", lacking),
        ("{}", lacking),
        (r#"{"message":"Forbidden"}"#, lacking),
        (r#"{"detail":"not allowed here"}"#, lacking),
        (r#"{"error":{"code":"missing_scope"}}"#, lacking),
        (named, lacking),
        (
            "You do not have permission to perform this action.",
            lacking,
        ),
        (suspended, other),
        ("403 Forbidden.", lacking),
        (r#"{"error":{"code":"ip_blocked"}}"#, other),
        (r#"{"error":"account_suspended"}"#, other),
        ("Not authorized", lacking),
        ("insufficient privileges", lacking),
        ("IP blocked", other),
        ("low", other),
        ("your account is suspended", other),
        (network, other),
    ] {
        let (_, error) = respond_and_call(forbidden().set_body_string(body)).await;
        assert!(error.to_string().contains(expected), "{body}: {error}");
        let is_missing = error.missing_scope().is_some();
        assert_eq!(is_missing, expected == lacking, "{body}");
    }
    let challenge = r#"Bearer error="insufficient_scope""#;
    let response = forbidden().insert_header("www-authenticate", challenge);
    let (_, error) = respond_and_call(response.set_body_string("you cannot do this here")).await;
    assert_eq!(error.missing_scope().unwrap().as_str(), "social:write");
}

async fn respond_and_call(response: ResponseTemplate) -> (Error, Error) {
    let service = MockServer::responding(response).await;
    let client = connect_as_owner(&service);
    let handle = Handle::new("demo").unwrap();
    let read = client.user_stats(&handle, None).await.unwrap_err();
    (read, client.create_post("p").await.unwrap_err())
}

#[tokio::test]
async fn classifies_status_codes() {
    for (status, kind, unclear) in [
        (301, ErrorKind::Redirected, false),
        (302, ErrorKind::Redirected, true),
        (303, ErrorKind::Redirected, true),
        (304, ErrorKind::Unreadable, true),
        (400, ErrorKind::Rejected, false),
        (408, ErrorKind::Timeout, true),
        (409, ErrorKind::Rejected, false),
        (418, ErrorKind::Rejected, false),
        (429, ErrorKind::RateLimited, false),
        (500, ErrorKind::Service, true),
        (503, ErrorKind::Service, true),
        (599, ErrorKind::Service, true),
    ] {
        let (read, write) = respond_and_call(ResponseTemplate::new(status)).await;
        assert_eq!(read.kind(), kind);
        assert_eq!(read.status(), Some(status));
        assert!(!read.may_have_been_applied());
        assert_eq!(write.may_have_been_applied(), unclear, "{status}");
    }
}

#[tokio::test]
async fn reports_code_message_and_request_id() {
    let body = r#"{"error":{"code":"unknown_field","message":"no\nnickname"}}"#;
    let response = ResponseTemplate::new(422).insert_header("x-request-id", "r-1");
    let response = response.set_body_raw(body, "application/json");
    let (_, error) = respond_and_call(response).await;
    assert_eq!(error.code(), Some("unknown_field"));
    assert_eq!(error.message(), Some("no nickname"));
    assert_eq!(error.request_id(), Some("r-1"));
    assert!(error.body().starts_with(b"{\"error\""));
    let expected = "POST /api/v1/me/posts: 422: the service rejected the request: \
                    no nickname (unknown_field) [request r-1]";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn names_the_handle_or_id() {
    let service = MockServer::responding(ResponseTemplate::new(404)).await;
    let client = connect_as_owner(&service);
    let id = LinkId::new("link_9").unwrap();
    let error = client.delete_link(&id).await.unwrap_err();
    assert_eq!(error.resource(), Some("link_9"));
    let expected = "DELETE /api/v1/me/links/link_9: 404: not found";
    assert_eq!(error.to_string(), expected);
    let handle = Handle::new("é/".repeat(200)).unwrap();
    let error = client.user_stats(&handle, None).await.unwrap_err();
    assert_eq!(error.resource(), Some(handle.as_str()));
    let message = error.to_string();
    assert!(
        message.starts_with("GET /api/v1/users/%C3%A9%2F%C3%A9%2F"),
        "{message}"
    );
    assert!(message.ends_with("…/stats: 404: not found"), "{message}");
    assert!(message.len() < 200, "{message}");
    let id = LinkId::new("7").unwrap();
    let empty = client.update_link(&id, &LinkUpdate::new());
    assert_eq!(empty.await.unwrap_err().resource(), Some("7"));
    assert_eq!(client.me().await.unwrap_err().resource(), None);
}

#[tokio::test]
async fn bounds_and_escapes_texts_of_the_service() {
    let long = format!("\u{202e}{}", "x".repeat(6000));
    let body = serde_json::json!({"error": {"code": long, "message": long}});
    for (status, body) in [
        (422, body.to_string()),
        (422, long.clone()),
        (200, format!(r#"{{"data":"{long}"}}"#)),
        (200, format!(r#"{{"data":{{"users":"{long}"}}}}"#)),
    ] {
        let response = ResponseTemplate::new(status)
            .insert_header("x-request-id", "x".repeat(6000))
            .set_body_string(body);
        let service = MockServer::responding(response).await;
        let error = connect_as_owner(&service).site_stats().await.unwrap_err();
        let message = error.to_string();
        assert!(message.chars().count() < 1600, "{message}");
        assert!(!message.contains('\u{202e}'), "{message}");
    }
}

#[tokio::test]
async fn truncates_error_bodies() {
    let long = vec![b'x'; Error::MAX_BODY_BYTES + 1];
    let (error, _) = respond_and_call(ResponseTemplate::new(500).set_body_bytes(long)).await;
    assert_eq!(error.body().len(), Error::MAX_BODY_BYTES);
    assert!(error.to_string().len() < 1000);
}

#[tokio::test]
async fn debug_shortens_the_body() {
    let service = MockServer::start().await;
    let body = format!("<p>{}", "é".repeat(30_000));
    respond_to_all(&service, ResponseTemplate::new(502).set_body_string(body)).await;
    let error = client_builder(&service).build().unwrap().badges().await;
    let shown = format!("{:?}", error.unwrap_err());
    assert!(shown.contains("<p>éé"), "{shown}");
    assert!(shown.contains("60003 bytes"), "{shown}");
    assert!(shown.len() < 1_000, "{}", shown.len());
}
