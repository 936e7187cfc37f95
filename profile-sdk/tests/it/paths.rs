//! No value of a path's parameter reaches another endpoint.

use mock_server::MockServer;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use profile_sdk::{Client, Handle, LinkId, Operation};

use crate::connect_as_owner;

#[tokio::test]
async fn a_parameter_is_one_segment_whatever_it_holds() {
    let service = MockServer::start().await;
    let echo =
        |request: &Request| ResponseTemplate::new(200).insert_header("x-path", request.url.path());
    Mock::given(any())
        .respond_with(echo)
        .mount(service.wiremock())
        .await;
    let client = connect_as_owner(&service);
    let mut values: Vec<String> = (1..=0x2100)
        .filter_map(char::from_u32)
        .map(String::from)
        .collect();
    values.retain(|value| value != ".");
    values.extend(
        [
            "...", "a/../b", "%2e%2e", "%2E.", "..\\..", "?days=1", "#x", " ", "//", "\u{feff}",
        ]
        .map(String::from),
    );
    for value in values {
        let id = LinkId::new(value.as_str()).unwrap();
        let sent = client.delete_link(&id).send().await.unwrap();
        let path = sent.header("x-path").unwrap();
        let segment = path.strip_prefix("/api/v1/me/links/").unwrap();
        assert!(!segment.contains('/'), "{value:?} became {path}");
        let decoded: Vec<u8> = percent_encoding::percent_decode_str(segment).collect();
        assert_eq!(decoded, value.as_bytes(), "{value:?} became {path}");
    }
}

#[test]
fn what_cannot_be_a_segment_is_no_handle() {
    for text in ["", ".", ".."] {
        assert!(Handle::new(text).is_err());
    }
}

#[test]
fn every_request_names_its_operation() {
    let client = Client::builder()
        .base_url("http://localhost")
        .build()
        .unwrap();
    let call = client.me();
    let request = call.request().unwrap();
    assert_eq!(request.operation(), &Operation::ME);
    assert_eq!(request.path(), Operation::ME.path_template());
    assert_eq!((request.query(), request.body()), (None, None));
}
