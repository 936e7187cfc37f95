//! Path parameters cannot reach another endpoint.

use mock_server::wiremock::matchers::any as any_request;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use profile_sdk::{Call, Client, Handle, LinkId, LinkUpdate, Operation, PostId};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::cases::for_all;
use crate::connect_as_owner;
use crate::mocked_service::MockServer;

/// All characters except the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Generates texts with characters that have a meaning in URLs.
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
async fn no_parameter_reaches_another_endpoint() {
    let service = MockServer::start().await;
    let respond = |request: &Request| {
        let (_, target) = request.url.as_str().split_once("/api/").unwrap();
        let response = ResponseTemplate::new(200).insert_header("x-target", target);
        response.set_body_string(r#"{"data":{}}"#)
    };
    let all = Mock::given(any_request()).respond_with(respond);
    all.mount(service.wiremock()).await;
    let client = connect_as_owner(&service);
    let runtime = tokio::runtime::Handle::current();
    let characters: Vec<char> = (1..=0x2100).filter_map(char::from_u32).collect();
    tokio::task::block_in_place(|| {
        for chunk in characters.chunks(64) {
            runtime.block_on(check_targets(&client, &String::from_iter(chunk)));
        }
        for_all(300, &any_parameter(), |text| {
            runtime.block_on(check_targets(&client, &text));
        });
    });
}

/// Sends the text as each kind of parameter and compares the received targets with the expected
/// ones.
async fn check_targets(client: &Client, text: &str) {
    let encoded = utf8_percent_encode(text, ENCODED);
    let (Ok(link), Ok(post), Ok(handle)) =
        (LinkId::new(text), PostId::new(text), Handle::new(text))
    else {
        return assert!(matches!(text, "." | ".."), "{text:?} was refused");
    };
    let update = LinkUpdate::new().title("t");
    let deleted = target(client.delete_link(&link)).await;
    let updated = target(client.update_link(&link, &update)).await;
    let post = target(client.delete_post(&post)).await;
    let read = target(client.user_stats(&handle, None)).await;
    for (target, start, end) in [
        (deleted, "me/links", ""),
        (updated, "me/links", ""),
        (post, "me/posts", ""),
        (read, "users", "/stats"),
    ] {
        assert_eq!(target, format!("v1/{start}/{encoded}{end}"), "{text:?}");
    }
}

async fn target<T>(call: Call<T>) -> String {
    let response = call.send().await.unwrap();
    response.header("x-target").unwrap().to_owned()
}

#[test]
fn rejects_handles_that_cannot_be_a_segment() {
    for text in ["", ".", ".."] {
        assert!(Handle::new(text).is_err());
    }
}

#[test]
fn requests_have_an_operation() {
    let client = Client::builder().base_url("http://localhost").build();
    let client = client.unwrap();
    let call = client.me();
    let request = call.request().unwrap();
    assert_eq!(request.operation(), &Operation::ME);
    assert_eq!(request.path(), Operation::ME.path_template());
    assert_eq!((request.query(), request.body()), (None, None));
}
