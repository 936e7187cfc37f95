//! Network errors.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{ErrorKind, LinkId};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::mocked_service::{MockServer, respond_to_all};
use crate::{client_builder, connect_as_owner, connect_to};

/// Starts a service that sends these bytes on its first connection and then closes it.
async fn serve_once(response: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).await.unwrap();
        stream.write_all(response).await.unwrap();
    });
    uri
}

#[tokio::test]
async fn a_refused_connection_sends_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = connect_to(&uri).create_post("p").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert_eq!(error.attempts(), 0);
    assert!(error.is_retryable());
    assert!(!error.may_have_been_applied());
    assert!(error.source().is_none(), "the message contains the cause");
    let message = error.to_string();
    let start = format!("POST /api/v1/me/posts: could not connect to {uri}, so nothing was sent: ");
    assert!(message.starts_with(&start), "{message}");
    assert!(message.contains("(os error "), "{message}");
    assert!(message.contains("; tried 4 times in "), "{message}");
}

/// The TLS handshake is never answered.
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
#[tokio::test]
async fn a_write_that_never_connects_sends_nothing() {
    use std::time::Duration;

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("https://{}", listener.local_addr().unwrap());
    let call = connect_to(&uri).create_post("p");
    let call = call
        .attempt_timeout(Duration::from_millis(50))
        .retry(profile_sdk::RetryPolicy::none());
    let error = call.await.unwrap_err();
    assert!(!error.may_have_been_applied(), "{error}");
    assert_eq!(error.kind(), ErrorKind::Connection);
    let expected = "POST /api/v1/me/posts: could not send the request within 0.05 seconds, so nothing was sent";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_lost_response_leaves_the_outcome_unknown() {
    for response in [&b""[..], b"HTTP/1.1 201 Created\r\ncontent-le"] {
        let uri = serve_once(response).await;
        let error = connect_to(&uri).create_post("p").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResponseLost, "{error}");
        assert!(error.may_have_been_applied());
        let end = "; the change may have been applied";
        assert!(error.to_string().ends_with(end), "{error}");
        let description = error.description().to_string();
        assert_eq!(error.to_string(), description + end);
    }
}

#[tokio::test]
async fn reports_a_rejection_with_an_incomplete_body() {
    let response = b"HTTP/1.1 422 Unprocessable\r\ncontent-length: 100\r\n\r\n{\"error\":";
    let uri = serve_once(response).await;
    let error = connect_to(&uri).create_post("p").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere =
        ResponseTemplate::new(307).insert_header("location", "http://u:pw@127.0.0.1:1/?key=1");
    let service = MockServer::responding(elsewhere).await;
    let error = connect_as_owner(&service).me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Redirected);
    assert!(error.header("Location").unwrap().ends_with("key=1"));
    let expected = "GET /api/v1/me: 307: the service redirects to http://127.0.0.1:1; \
                    redirects are not followed, to keep the key from other hosts; check the base URL";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn limits_the_size_of_responses() {
    let service = MockServer::start().await;
    let body = br#"{"data":{"users":1,"views":1,"links":1}}"#;
    respond_to_all(&service, ResponseTemplate::new(203).set_body_bytes(body)).await;
    let exact = client_builder(&service).max_response_bytes(body.len());
    let exact = exact.build().unwrap();
    exact.site_stats().await.unwrap();
    let short = client_builder(&service).max_response_bytes(body.len() - 1);
    let short = short.build().unwrap();
    let error = short.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    let expected = "GET /api/v1/stats: the response is larger than the maximum of 39 bytes";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn does_not_send_an_invalid_request() {
    let service = MockServer::start().await;
    let id = LinkId::new("x".repeat(70_000)).unwrap();
    let client = connect_as_owner(&service);
    let error = client.delete_link(&id).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Invalid, 0));
    assert!(!error.may_have_been_applied());
    let message = error.to_string();
    let expected = "xxx…: could not create the request, so nothing was sent: ";
    assert!(message.contains(expected), "{message}");
}

/// Starts a service that responds to every request on any connection with these bytes. Returns its URL
/// and the number of requests.
async fn serve_all(response: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::<AtomicUsize>::default();
    let counter = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            counter.fetch_add(1, Ordering::Relaxed);
            let _ = stream.write_all(&response).await;
        }
    });
    (uri, requests)
}

#[tokio::test]
async fn a_head_that_cannot_be_read_is_not_requested_again() {
    for head in [
        "x-text: a\x7fb\r\n",
        "x-te xt: a\r\n",
        "x-text\r\n",
        "x-text: a\r\n b\r\n",
        "content-length: many\r\n",
        "\0: a\r\n",
    ] {
        let response = format!("HTTP/1.1 200 OK\r\n{head}content-length: 2\r\n\r\n{{}}");
        check_invalid_head(response.into_bytes()).await;
    }
    for response in [
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "\x15\x03\x03\0\x02\x02\n",
    ] {
        check_invalid_head(response.as_bytes().to_vec()).await;
    }
}

async fn check_invalid_head(response: Vec<u8>) {
    let shown = String::from_utf8_lossy(&response).into_owned();
    let (uri, requests) = serve_all(response).await;
    let error = connect_to(&uri).me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable, "{shown:?}: {error}");
    assert_eq!((error.attempts(), requests.load(Ordering::Relaxed)), (1, 1));
    assert!(!error.is_retryable());
    let start = "GET /api/v1/me: the response is not valid HTTP: ";
    assert!(error.to_string().starts_with(start), "{error}");
    let error = connect_to(&uri).create_post("p").await.unwrap_err();
    assert!(error.may_have_been_applied(), "{shown:?}: {error}");
}

#[tokio::test]
async fn limits_the_number_and_the_size_of_headers() {
    let response = |headers: usize, bytes: usize| {
        let headers = format!("x-header: {}\r\n", "x".repeat(bytes)).repeat(headers);
        format!("HTTP/1.1 200 OK\r\n{headers}content-length: 11\r\n\r\n{{\"data\":[]}}")
            .into_bytes()
    };
    for (headers, bytes) in [(99, 10), (99, 2900), (1, 290_000)] {
        let (uri, _) = serve_all(response(headers, bytes)).await;
        connect_to(&uri).badges().await.unwrap();
    }
    for (headers, bytes) in [(100, 10), (1, 1_000_000)] {
        let (uri, requests) = serve_all(response(headers, bytes)).await;
        let error = connect_to(&uri).badges().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
        assert_eq!(requests.load(Ordering::Relaxed), 1);
        let message =
            "GET /api/v1/badges: the response has more than 100 headers or 300 kB of headers";
        assert_eq!(error.to_string(), message);
    }
}

#[tokio::test]
async fn a_304_is_not_a_redirect() {
    let service = MockServer::responding(ResponseTemplate::new(304)).await;
    let error = connect_as_owner(&service).me().await.unwrap_err();
    let found = (error.kind(), error.status());
    assert_eq!(found, (ErrorKind::Unreadable, Some(304)));
    let expected =
        "GET /api/v1/me: 304: the service did not send the resource, because it has not changed";
    assert_eq!(error.to_string(), expected);
}
