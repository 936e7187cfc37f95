//! No value of a path's parameter reaches another endpoint.

use mock_server::MockServer;
use mock_server::wiremock::matchers::any as any_request;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use profile_sdk::{Call, Client, Handle, LinkId, LinkUpdate, Operation, PostId};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::cases::for_all;
use crate::connect_as_owner;

/// Everything but RFC 3986's unreserved characters.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[tokio::test]
pub(crate) async fn a_parameter_is_one_segment_whatever_it_holds() {
    let service = MockServer::start().await;
    let echo =
        |request: &Request| ResponseTemplate::new(200).insert_header("x-path", request.url.path());
    Mock::given(any_request())
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

/// Texts of what has a meaning in a URL, and of anything.
fn any_parameter() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(&["/", "..", ".", "\\", "%2e", "%2F", "%", "?", "#", ";", "@", ":", "//"][..])
            .prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
        1 => select(&["me", "links", "api", "v1", " ", "\t", "\r\n", "\u{0}"][..]).prop_map(String::from),
    ];
    vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
pub(crate) async fn no_text_reaches_another_endpoint() {
    let service = MockServer::start().await;
    Mock::given(any_request())
        .respond_with(|request: &Request| {
            let target = request
                .url
                .as_str()
                .split_once("/api/")
                .unwrap()
                .1
                .to_owned();
            ResponseTemplate::new(200)
                .insert_header("x-target", target)
                .set_body_string(r#"{"data":{}}"#)
        })
        .mount(service.wiremock())
        .await;
    let client = connect_as_owner(&service);
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        for_all(300, &any_parameter(), |text| {
            runtime.block_on(check_targets(&client, &text));
        });
    });
}

/// Sends the text as each kind of parameter, and compares what came with what may come.
async fn check_targets(client: &Client, text: &str) {
    let encoded = utf8_percent_encode(text, ENCODED);
    let (Ok(link), Ok(post), Ok(handle)) =
        (LinkId::new(text), PostId::new(text), Handle::new(text))
    else {
        return assert!(matches!(text, "." | ".."), "{text:?} was refused");
    };
    let update = LinkUpdate::new().title("t");
    let targets = [
        (
            target(client.delete_link(&link)).await,
            format!("v1/me/links/{encoded}"),
        ),
        (
            target(client.update_link(&link, &update)).await,
            format!("v1/me/links/{encoded}"),
        ),
        (
            target(client.delete_post(&post)).await,
            format!("v1/me/posts/{encoded}"),
        ),
        (
            target(client.user_stats(&handle, None)).await,
            format!("v1/users/{encoded}/stats"),
        ),
    ];
    for (target, expected) in targets {
        assert_eq!(target, expected, "{text:?}");
    }
}

async fn target<T>(call: Call<T>) -> String {
    let answer = call.send().await.unwrap();
    answer.header("x-target").unwrap().to_owned()
}

#[test]
pub(crate) fn what_cannot_be_a_segment_is_no_handle() {
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
