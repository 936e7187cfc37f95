//! The key only appears in the `Authorization` header.

use std::error::Error as _;

use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{ApiKey, Client, Error, ErrorKind, Method, RetryPolicy};

use crate::mocked_service::{MockServer, respond_to_all};
use crate::{client_builder, client_builder_for, connect};

const CANARY: &str = "canary/4f1e0c77";

/// Returns the key in the encodings of JSON, URLs and HTML.
fn spellings(key: &str) -> impl Iterator<Item = String> {
    let slashes = [
        "/", r"\/", r"\u002f", r"\u002F", "%2f", "%2F", "&#x2F;", "&#x2f;", "&#47;", "&#047;",
    ];
    slashes.map(|slash| key.replace('/', slash)).into_iter()
}

#[track_caller]
fn check(printed: &str) {
    let shown = spellings(CANARY).find(|spelling| printed.contains(spelling));
    assert_eq!(shown, None, "the key shows in: {printed}");
}

#[track_caller]
fn check_error(error: &Error) {
    check(&format!("{error} {error:?} {error:#?}"));
    check(&String::from_utf8_lossy(error.body()));
    let mut cause = error.source();
    while let Some(error) = cause {
        check(&format!("{error} {error:?}"));
        cause = error.source();
    }
}

#[tokio::test]
async fn nothing_printable_shows_the_key() {
    let service = MockServer::start().await;
    let key = ApiKey::new(CANARY).unwrap();
    check(&format!("{key:?}"));
    let builder = client_builder(&service).api_key(key);
    check(&format!("{builder:?}"));
    let client = builder.build().unwrap();
    check(&format!("{client:?}"));
    let call = client.create_post("p");
    check(&format!("{call:?} {:?}", call.request()));
    check_error(&call.await.unwrap_err());

    let unreachable = client_builder_for("http://127.0.0.1:1");
    let unreachable = unreachable.api_key(ApiKey::new(CANARY).unwrap());
    let unreachable = unreachable.build().unwrap();
    check_error(&unreachable.me().await.unwrap_err());

    respond_to_all(&service, ResponseTemplate::new(200).set_body_string("{")).await;
    check_error(&connect(&service, CANARY).me().await.unwrap_err());
    let response = connect(&service, CANARY).delete_post(&"1".parse().unwrap());
    check(&format!("{:?}", response.send().await.unwrap()));

    let echo =
        ResponseTemplate::new(200).set_body_string(format!(r#"{{"data":{{"x":"{CANARY}"}}}}"#));
    let service = MockServer::responding(echo).await;
    let client = connect(&service, CANARY);
    let response = client.me().send().await.unwrap();
    check(&format!("{response:?}"));
    let call = unreachable.user_stats(&CANARY.parse().unwrap(), None);
    check_error(&call.retry(RetryPolicy::none()).await.unwrap_err());
}

#[tokio::test]
async fn redacts_an_echoed_key() {
    let echo = format!("bad header Bearer {CANARY}");
    let in_json = format!(r#"{{"error":{{"code":"{CANARY}","message":"{echo}"}}}}"#);
    let spelled: String = spellings(CANARY).collect();
    let cut = format!("{}{CANARY}", " ".repeat(Error::MAX_BODY_BYTES - 14));
    for (status, body) in [
        (401, in_json),
        (400, echo.clone()),
        (502, format!("<title>{echo}</title>")),
        (302, String::new()),
        (200, echo.clone()),
        (200, format!(r#"{{"data":{{"bio":["{CANARY}"]}}}}"#)),
        (200, format!(r#"{{"data":"{CANARY}"}}"#)),
        (400, format!(r#"{{"message":{spelled:?}}}"#)),
        (400, spelled),
        (400, format!("{}{CANARY}", "x".repeat(490))),
        (400, cut.clone()),
        (200, cut),
    ] {
        let response = ResponseTemplate::new(status)
            .insert_header("x-request-id", CANARY)
            .insert_header("location", format!("/?key={CANARY}"))
            .set_body_string(body);
        let service = MockServer::responding(response).await;
        let client = connect(&service, CANARY);
        let raw = client.raw_call(Method::Get, "/api/v1/me").read::<u8>();
        for error in [client.me().await.unwrap_err(), raw.await.unwrap_err()] {
            check_error(&error);
            assert!(!error.to_string().contains("canary"), "{error}");
            let body = String::from_utf8_lossy(error.body());
            assert!(!body.ends_with("canary/4f1e0c"), "the start of the key");
            for name in ["x-request-id", "location"] {
                check(error.header(name).unwrap());
            }
        }
    }
    let coding = format!("{}{CANARY}", "x".repeat(50));
    let response = ResponseTemplate::new(200).insert_header("content-encoding", coding);
    let service = MockServer::responding(response).await;
    let error = connect(&service, CANARY).me().await.unwrap_err();
    check_error(&error);
    assert!(!error.to_string().contains("canary"), "{error}");
}

/// The refusal is read before the key is redacted in it, and a placeholder is not redacted.
#[tokio::test]
async fn a_key_that_is_a_word_leaves_the_error_readable() {
    let body = r#"{"message":"a message","code":"bad_code","errors":{"message":["bad"]}}"#;
    let service = MockServer::responding(ResponseTemplate::new(422).set_body_string(body)).await;
    for (key, message, field) in [
        ("message", "a [redacted]", "[redacted]"),
        ("errors", "a message", "message"),
        ("e", "a message", "message"),
        ("a", "a message", "message"),
    ] {
        let error = connect(&service, key).me().await.unwrap_err();
        assert!(error.message().unwrap().starts_with(message), "{error}");
        assert_eq!(error.code(), Some("bad_code"), "{error}");
        let fields: Vec<_> = error.field_errors().collect();
        assert_eq!(fields, [(field, "bad")], "{key}");
        assert_eq!(error.body() == body.as_bytes(), key.len() < 6);
    }
}

#[test]
fn hides_a_password_in_the_base_url() {
    for port in ["", ":x"] {
        let rejected = Client::builder().base_url(format!("https://ada:{CANARY}@host{port}"));
        check(&format!("{rejected:?}"));
        let error = rejected.build().unwrap_err();
        check_error(&error);
    }
}

#[tokio::test]
async fn redacts_a_key_in_a_path() {
    let service = MockServer::start().await;
    let client = connect(&service, CANARY);
    for path in ["/canary/4f1e0c77", "/canary%2F4f1e0c77"] {
        let call = client.raw_call(Method::Get, path).read_bytes();
        assert_eq!(call.request().unwrap().path(), path);
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        check_error(&error);
    }
    let call = client.raw_call(Method::Get, "/canary/4f1e0c77 ");
    check_error(&call.read_bytes().await.unwrap_err());
    let call = client.raw_call(Method::Get, "/api/v1/me");
    let call = call.encoded_query("key=canary/4f1e0c77 ");
    check_error(&call.read_bytes().await.unwrap_err());
}

#[test]
fn hides_a_key_passed_as_the_base_url() {
    for text in [CANARY, "canary:4f1e0c77", "canary@4f1e0c77"] {
        let builder = Client::builder().base_url(text);
        assert!(!format!("{builder:?}").contains(text));
        let error = builder.build().unwrap_err();
        let expected = "base URL does not contain ://; expected a URL such as https://host";
        assert_eq!(error.to_string(), expected);
    }
}
