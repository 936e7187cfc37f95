//! Each refusal is an error of its own kind that says what happened and what to do.

use mock_server::MockServer;
use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{Error, ErrorKind, Handle};

use crate::every_call::every_call;
use crate::{answer_all, connect, connect_as_owner, describe};

#[tokio::test]
async fn a_wrong_key_is_unauthorized() {
    let service = MockServer::start().await;
    let error = connect(&service, "wrong").me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    assert_eq!(error.status(), Some(401));
    assert!(!error.message().unwrap().is_empty());
    assert!(
        error
            .to_string()
            .starts_with("GET /api/v1/me: 401: the service rejected the key: ")
    );
}

#[tokio::test]
async fn a_call_without_a_key_is_not_sent() {
    let client = profile_sdk::Client::builder()
        .base_url("http://127.0.0.1:1")
        .build()
        .unwrap();
    let error = client.me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMissing);
    assert_eq!(
        error.to_string(),
        "GET /api/v1/me: this call requires an API key; set one with ClientBuilder::api_key, \
         or with PROFILE_API_KEY and Client::from_env"
    );
}

#[tokio::test]
async fn a_missing_scope_is_named() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().none);
    for (operation, call) in every_call(&client) {
        let Some(scope) = operation.scope() else {
            call.await.unwrap();
            continue;
        };
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
        assert_eq!(error.scope(), Some(scope));
        let needed = format!("403: the key lacks the scope {scope}");
        assert!(error.to_string().contains(&needed), "{error}");
        assert!(!error.may_have_been_applied());
    }
}

async fn meet(answer: ResponseTemplate) -> (Error, Error) {
    let service = MockServer::start().await;
    answer_all(&service, answer).await;
    let client = connect_as_owner(&service);
    let handle = Handle::new("demo").unwrap();
    let read = client.user_stats(&handle, None).await.unwrap_err();
    (read, client.create_post("p").await.unwrap_err())
}

#[tokio::test]
pub(crate) async fn a_status_is_judged_by_its_class() {
    for (status, kind, unknown) in [
        (302, ErrorKind::Redirected, false),
        (304, ErrorKind::Redirected, false),
        (400, ErrorKind::Rejected, false),
        (409, ErrorKind::Rejected, false),
        (418, ErrorKind::Rejected, false),
        (429, ErrorKind::RateLimited, false),
        (500, ErrorKind::Service, true),
        (503, ErrorKind::Service, true),
        (599, ErrorKind::Service, true),
    ] {
        let (read, write) = meet(ResponseTemplate::new(status)).await;
        assert_eq!(read.kind(), kind);
        assert_eq!(read.status(), Some(status));
        assert!(!read.may_have_been_applied());
        assert_eq!(write.may_have_been_applied(), unknown, "{status}");
    }
}

#[tokio::test]
async fn what_the_service_says_is_told() {
    let answer = ResponseTemplate::new(422)
        .insert_header("x-request-id", "r-1")
        .set_body_raw(
            r#"{"error":{"code":"unknown_field","message":"no\nnickname"}}"#,
            "application/json",
        );
    let (_, error) = meet(answer).await;
    assert_eq!(error.code(), Some("unknown_field"));
    assert_eq!(error.message(), Some("no nickname"));
    assert_eq!(error.request_id(), Some("r-1"));
    assert!(error.body().starts_with(b"{\"error\""));
    assert_eq!(
        error.to_string(),
        "POST /api/v1/me/posts: 422: the service rejected the request: \
         no nickname (unknown_field) [request r-1]"
    );
}

#[tokio::test]
async fn a_page_of_html_says_what_its_title_says() {
    let page = "<html><title>502 Bad Gateway</title>";
    let (error, _) = meet(ResponseTemplate::new(502).set_body_raw(page, "text/html")).await;
    assert_eq!(error.message(), Some("502 Bad Gateway"));
    assert_eq!(error.body(), page.as_bytes());
}

#[tokio::test]
async fn the_body_of_a_refusal_is_cut() {
    let long = vec![b'x'; Error::MAX_BODY_BYTES + 1];
    let (error, _) = meet(ResponseTemplate::new(500).set_body_bytes(long)).await;
    assert_eq!(error.body().len(), Error::MAX_BODY_BYTES);
    assert!(error.to_string().len() < 1000);
}

#[tokio::test]
async fn a_successful_answer_that_cannot_be_read_says_where() {
    let service = MockServer::start().await;
    let body = r#"{"data":{"users":"many","views":1,"links":1}}"#;
    answer_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
    let client = describe(&service).build().unwrap();
    let error = client.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert_eq!(error.status(), Some(200));
    assert_eq!(error.body(), body.as_bytes());
    assert!(
        error.to_string().starts_with(
            "GET /api/v1/stats: data.users: invalid type: string \"many\", expected a non-negative integer"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn debug_shows_the_start_of_a_long_body() {
    let service = MockServer::start().await;
    let body = format!("<p>{}", "é".repeat(30_000));
    answer_all(&service, ResponseTemplate::new(502).set_body_string(body)).await;
    let error = describe(&service).build().unwrap().badges().await;
    let shown = format!("{:?}", error.unwrap_err());
    assert!(
        shown.contains("<p>éé") && shown.contains("60003 bytes"),
        "{shown}"
    );
    assert!(shown.len() < 1_000, "{}", shown.len());
}
