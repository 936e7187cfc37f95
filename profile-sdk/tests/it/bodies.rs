//! No body, however spoiled, makes a call panic or turns a write that was taken into an error.

use std::sync::{Arc, Mutex};

use mock_server::MockServer;
use mock_server::wiremock::matchers::any as any_request;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use profile_sdk::Client;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

use crate::cases::for_all;
use crate::connect_as_owner;
use crate::every_call::every_call;

const GOOD: [&str; 4] = [
    r#"{"data":{"id":7,"bio":"b","title":"t","url":"x:y","links":[{"id":"1"}],"key":{"scopes":[]}}}"#,
    r#"{"data":{"users":1,"views":2,"links":3,"period":{"days":1,"views":2},"daily":[]}}"#,
    r#"{"data":[{"id":"b","name":"B","kind":"auto"}]}"#,
    r#"{"error":{"code":"c","message":"m"}}"#,
];

/// A good body with some of its bytes replaced, cut off anywhere; or anything at all.
fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let spoil = || vec((any::<Index>(), any::<u8>()), 0..5);
    let spoiled = (select(&GOOD[..]), spoil(), any::<Index>(), any::<bool>());
    prop_oneof![
        4 => spoiled.prop_map(|(good, spoils, end, cut)| {
            let mut body = good.as_bytes().to_vec();
            for (place, byte) in spoils {
                let place = place.index(body.len());
                body[place] = byte;
            }
            body.truncate(if cut { end.index(body.len()) } else { body.len() });
            body
        }),
        1 => vec(any::<u8>(), 0..300),
        1 => any::<String>().prop_map(String::into_bytes),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_body_makes_a_panic_or_undoes_a_write() {
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
            runtime.block_on(call_all(&client));
        });
    });
}

/// Whether a read can be read is up to its body; a write was taken whatever its body says.
async fn call_all(client: &Client) {
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
