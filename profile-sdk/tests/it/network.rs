//! What can go wrong on the way, each with a kind of its own and in bounded memory.

use std::error::Error as _;

use mock_server::MockServer;
use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{ApiKey, Client, ErrorKind, LinkId};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::{answer_all, connect_as_owner, describe, describe_at};

/// A service that answers its first connection with these bytes and then closes it.
async fn serve_once(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).await.unwrap();
        stream.write_all(answer).await.unwrap();
    });
    uri
}

fn connect_to(uri: &str) -> Client {
    describe_at(uri)
        .api_key(ApiKey::new("key").unwrap())
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_refused_connection_sent_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = connect_to(&uri).create_post("p").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert_eq!(error.attempts(), 4);
    assert!(!error.may_have_been_applied());
    assert!(error.source().is_some());
    assert!(
        error
            .to_string()
            .starts_with("POST /api/v1/me/posts: could not connect, so nothing was sent: ")
    );
}

#[tokio::test]
async fn a_lost_answer_leaves_the_outcome_unknown() {
    for answer in [
        &b""[..],
        b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{\"data\"",
        b"HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let uri = serve_once(answer).await;
        let error = connect_to(&uri).create_post("p").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
        assert!(error.may_have_been_applied());
        assert!(
            error
                .to_string()
                .ends_with("; the change may have been applied")
        );
    }
}

#[tokio::test]
async fn a_refusal_is_told_even_when_its_body_is_cut() {
    let answer = b"HTTP/1.1 422 Unprocessable\r\ncontent-length: 100\r\n\r\n{\"error\":";
    let uri = serve_once(answer).await;
    let error = connect_to(&uri).create_post("p").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
}

#[tokio::test]
pub(crate) async fn a_redirect_is_not_followed() {
    let service = MockServer::start().await;
    let elsewhere =
        ResponseTemplate::new(307).insert_header("location", "http://u:pw@127.0.0.1:1/?key=1");
    answer_all(&service, elsewhere).await;
    let error = connect_as_owner(&service).me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Redirected);
    assert!(error.header("Location").unwrap().ends_with("key=1"));
    assert_eq!(
        error.to_string(),
        "GET /api/v1/me: 307: the service redirects to http://127.0.0.1:1; \
         redirects are not followed, to keep the key from other hosts; check the base URL"
    );
}

#[tokio::test]
async fn an_answer_may_only_be_so_large() {
    let service = MockServer::start().await;
    let body = br#"{"data":{"users":1,"views":1,"links":1}}"#;
    answer_all(&service, ResponseTemplate::new(200).set_body_bytes(body)).await;
    let exact = describe(&service)
        .max_response_bytes(body.len())
        .build()
        .unwrap();
    exact.site_stats().await.unwrap();
    let short = describe(&service)
        .max_response_bytes(body.len() - 1)
        .build()
        .unwrap();
    let error = short.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "GET /api/v1/stats: the response is larger than the maximum of 39 bytes"
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_made_was_not_sent() {
    let service = MockServer::start().await;
    let id = LinkId::new("x".repeat(70_000)).unwrap();
    let error = connect_as_owner(&service)
        .delete_link(&id)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(!error.may_have_been_applied());
    assert!(
        error.to_string().starts_with(
            "DELETE /api/v1/me/links/{id}: could not create the request, so nothing was sent: "
        ),
        "{error}"
    );
}
