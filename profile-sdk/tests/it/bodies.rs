//! Checks that no body causes a panic, and that a write with a 2xx response succeeds whatever its
//! body is.

use std::sync::{Arc, Mutex};

use mock_server::wiremock::matchers::any as any_request;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use profile_sdk::Client;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

use crate::cases::for_all;
use crate::connect_as_owner;
use crate::every_call::every_call;
use crate::mocked_service::MockServer;

const VALID: [&str; 4] = [
    r#"{"data":{"id":7,"bio":"b","title":"t","url":"x:y","links":[{"id":"1"}],"key":{"scopes":[]}}}"#,
    r#"{"data":{"users":1,"views":2,"links":3,"period":{"days":1,"views":2},"daily":[]}}"#,
    r#"{"data":[{"id":"b","name":"B","kind":"auto"}]}"#,
    r#"{"error":{"code":"c","message":"m"}}"#,
];

/// Generates valid bodies with some bytes replaced or cut off, and arbitrary bodies.
fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let changes = || vec((any::<Index>(), any::<u8>()), 0..5);
    let damaged = (select(&VALID[..]), changes(), any::<Index>(), any::<bool>());
    prop_oneof![
        4 => damaged.prop_map(|(valid, changes, end, cut)| {
            let mut body = valid.as_bytes().to_vec();
            for (position, byte) in changes {
                let position = position.index(body.len());
                body[position] = byte;
            }
            body.truncate(if cut { end.index(body.len()) } else { body.len() });
            body
        }),
        1 => vec(any::<u8>(), 0..300),
        1 => any::<String>().prop_map(String::into_bytes),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_body_causes_a_panic_or_fails_a_write() {
    let service = MockServer::start().await;
    let body = Arc::new(Mutex::new(Vec::new()));
    let shown = body.clone();
    let echo =
        move |_: &Request| ResponseTemplate::new(200).set_body_bytes(shown.lock().unwrap().clone());
    Mock::given(any_request())
        .respond_with(echo)
        .mount(service.wiremock())
        .await;
    let client = connect_as_owner(&service);
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        for_all(150, &any_body(), |next| {
            *body.lock().unwrap() = next;
            runtime.block_on(send_every_call(&client));
        });
    });
}

/// A read may fail because of its body; a write must not.
async fn send_every_call(client: &Client) {
    for (operation, call) in every_call(client) {
        let outcome = call.await;
        if operation.method().is_write() {
            outcome.unwrap();
        } else if let Err(error) = outcome {
            assert_eq!(error.status(), Some(200), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
