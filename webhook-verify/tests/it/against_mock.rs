//! Deliveries of the mock server over a real socket.

use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::post;
use bytes::Bytes;
use mock_server::dialect::SignatureEncoding;
use mock_server::webhook::DeliveryOutcome;
use mock_server::{Dialect, MockServer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Barrier;
use webhook_verify::{
    DigestEncoding, EventKind, KindError, MAX_CONSECUTIVE_FAILURES, Receiver, Verified,
    VerifiedEvent, Verifier, VerifyLayer,
};

use crate::{SECRET, secret};

/// Responds with 200 if the header's kind matches the payload's, otherwise with 204.
async fn receive(event: VerifiedEvent<Value>) -> Result<StatusCode, KindError> {
    event.delivery().confirm_kind_in("type")?;
    Ok(StatusCode::OK)
}

/// Starts a server, which runs until the test's runtime ends, and returns its URL.
async fn serve(receiver: &Receiver) -> String {
    let router = Router::new().route("/hooks", post(receive));
    listen(router.with_state(receiver.clone())).await
}

async fn listen(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hooks", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, router).await });
    url
}

async fn emit(server: &MockServer, kind: &str, data: Value) -> u16 {
    let delivery = server.webhook().emit(kind, data).await.unwrap();
    match delivery.outcome {
        DeliveryOutcome::Responded { status } => status,
        outcome => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn every_kind_verifies() {
    let server = MockServer::start().await;
    let receiver = Receiver::new(Verifier::new(secret(SECRET)));
    let url = serve(&receiver).await;
    server.webhook().set_receiver(&url, SECRET).unwrap();
    for kind in EventKind::KNOWN {
        let data = json!({"from": "gr\u{e5}ce"});
        assert_eq!(emit(&server, kind.as_str(), data).await, 200);
    }
    assert_eq!(emit(&server, "post.shared", json!(null)).await, 200);
    let failures = receiver.consecutive_failures().to_string();
    assert_eq!(failures, "the last delivery verified");
}

#[tokio::test]
async fn base64_digests_verify_if_enabled() {
    let mut dialect = Dialect::default();
    dialect.webhook_signature_encoding = SignatureEncoding::Base64;
    let server = MockServer::builder().dialect(dialect).start().await;
    let server = server.unwrap();
    let hex = Receiver::new(Verifier::new(secret(SECRET)));
    let base64 = Receiver::new(Verifier::new(secret(SECRET)).encoding(DigestEncoding::Base64));
    for (receiver, status) in [(hex, 401), (base64, 200)] {
        let url = serve(&receiver).await;
        server.webhook().set_receiver(&url, SECRET).unwrap();
        assert_eq!(emit(&server, "post.liked", json!({})).await, status);
    }
}

/// Responds with the status in the body of a delivery, and to a body that is longer only when there
/// are two.
async fn respond(body: &[u8]) -> StatusCode {
    static BOTH: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
    if body.len() > 3 {
        BOTH.wait().await;
    }
    StatusCode::from_bytes(&body[..3]).unwrap()
}

async fn count(State(receiver): State<Receiver>, request: Request, next: Next) -> Response<Body> {
    let response = next.run(request).await;
    receiver.count_response(&response);
    response
}

fn with_extractor(receiver: &Receiver) -> Router {
    let respond = async |delivery: Verified<Bytes>| respond(delivery.body()).await;
    let counted = post(respond).route_layer(from_fn_with_state(receiver.clone(), count));
    let router = Router::new().route("/hooks", counted);
    router.with_state(receiver.clone())
}

fn with_layer(receiver: &Receiver) -> Router {
    let router = Router::new().route("/hooks", post(async |body: Bytes| respond(&body).await));
    router.layer(VerifyLayer::new(receiver.clone()))
}

fn with_receive(receiver: &Receiver) -> Router {
    async fn receive(State(receiver): State<Receiver>, request: Request) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let response = match receiver.receive(&parts.headers, body).await {
            Ok(delivery) => respond(delivery.body()).await.into_response(),
            Err(rejection) => rejection.response(),
        };
        receiver.count_response(&response);
        response
    }
    let router = Router::new().route("/hooks", post(receive));
    router.with_state(receiver.clone())
}

const COUNTING: [fn(&Receiver) -> Router; 3] = [with_extractor, with_layer, with_receive];

/// Returns a receiver, and the counts with which its hook is called.
fn logging_receiver() -> (Receiver, Arc<Mutex<Vec<u32>>>) {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = logged.clone();
    let receiver = Receiver::new(Verifier::new(secret(SECRET)))
        .on_failure(move |consecutive| log.lock().unwrap().push(consecutive.count()));
    (receiver, logged)
}

/// 401 is a forged delivery.
#[tokio::test]
async fn counts_failures_as_the_service_does() {
    let five_and_five = [401, 401, 401, 401, 401, 500, 500, 500, 500, 500];
    let scenarios: [(&[u16], &str); 5] = [
        (
            &[500; 10],
            "10 failed in a row, 10 of them after verification",
        ),
        (
            &[500, 204, 500, 503, 204, 301, 200, 500],
            "1 failed in a row, 1 of them after verification",
        ),
        (
            &[401; 10],
            "10 rejected in a row, none ever verified; check the secret",
        ),
        (
            &five_and_five,
            "10 failed in a row, 5 of them after verification",
        ),
        (&[500, 401, 204], "no failures"),
    ];
    for (statuses, text) in scenarios {
        for router in COUNTING {
            let server = MockServer::start().await;
            let webhook = server.webhook();
            let (receiver, logged) = logging_receiver();
            let url = listen(router(&receiver)).await;
            webhook.set_receiver(&url, SECRET).unwrap();
            let (mut failures, mut expected) = (0, Vec::new());
            for status in statuses.iter().copied() {
                let accepted = if status == 401 { "another" } else { SECRET };
                receiver.set_verifier(Verifier::new(secret(accepted)));
                let body = status.to_string().into_bytes();
                let delivery = webhook.emit("post.liked", body).await.unwrap();
                assert_eq!(delivery.outcome, DeliveryOutcome::Responded { status });
                failures = if status < 300 { 0 } else { failures + 1 };
                expected.extend((failures > 0).then_some(failures));
                assert_eq!(receiver.consecutive_failures().count(), failures);
                let found = webhook.status().unwrap().consecutive_failures;
                assert_eq!(found, failures);
                let is_active = failures < MAX_CONSECUTIVE_FAILURES;
                assert_eq!(webhook.is_active().unwrap(), is_active);
            }
            assert_eq!(receiver.consecutive_failures().to_string(), text);
            assert_eq!(*logged.lock().unwrap(), expected);
        }
    }
}

#[tokio::test]
async fn counts_two_failures_at_once() {
    for router in COUNTING {
        let server = MockServer::start().await;
        let webhook = server.webhook();
        let (receiver, logged) = logging_receiver();
        let url = listen(router(&receiver)).await;
        webhook.set_receiver(&url, SECRET).unwrap();
        let emit = || webhook.emit("post.liked", b"500, both".to_vec());
        let (first, second) = tokio::join!(emit(), emit());
        for delivery in [first, second] {
            let outcome = DeliveryOutcome::Responded { status: 500 };
            assert_eq!(delivery.unwrap().outcome, outcome);
        }
        assert_eq!(receiver.consecutive_failures().after_verification(), 2);
        assert_eq!(*logged.lock().unwrap(), [1, 2]);
        assert_eq!(webhook.status().unwrap().consecutive_failures, 2);
    }
}
