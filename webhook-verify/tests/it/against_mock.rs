//! Deliveries of the mock server over a real socket.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use mock_server::dialect::SignatureEncoding;
use mock_server::webhook::DeliveryOutcome;
use mock_server::{Dialect, MockServer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use webhook_verify::{
    DigestEncoding, EventKind, KindError, MAX_CONSECUTIVE_FAILURES, Receiver, VerifiedEvent,
    Verifier,
};

use crate::{SECRET, secret};

/// Responds with 200 if the header's kind matches the payload's, otherwise with 204.
async fn receive(event: VerifiedEvent<Value>) -> Result<StatusCode, KindError> {
    event.delivery().confirm_kind_in("type")?;
    Ok(StatusCode::OK)
}

/// Starts a server, which runs until the test's runtime ends, and returns its URL.
async fn serve(receiver: &Receiver) -> String {
    let router = Router::new()
        .route("/hooks", post(receive))
        .with_state(receiver.clone());
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
    let rejections = receiver.consecutive_rejections().to_string();
    assert_eq!(rejections, "the last delivery verified");
}

#[tokio::test]
async fn payloads_that_are_not_json_get_a_2xx_response() {
    let server = MockServer::start().await;
    let receiver = Receiver::new(Verifier::new(secret(SECRET)));
    let url = serve(&receiver).await;
    server.webhook().set_receiver(&url, SECRET).unwrap();
    for body in [vec![], vec![0xff, 0x00], b"{".to_vec()] {
        let delivery = server.webhook().emit("post.liked", body).await.unwrap();
        assert_eq!(delivery.outcome, DeliveryOutcome::Responded { status: 204 });
    }
    assert_eq!(server.webhook().status().unwrap().consecutive_failures, 0);
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

#[tokio::test]
async fn ten_consecutive_rejections_turn_the_webhook_off() {
    let server = MockServer::start().await;
    let receiver = Receiver::new(Verifier::new(secret("not the service's")));
    let url = serve(&receiver).await;
    server.webhook().set_receiver(&url, SECRET).unwrap();
    for count in 1..=MAX_CONSECUTIVE_FAILURES {
        assert!(server.webhook().is_active().unwrap());
        assert_eq!(emit(&server, "post.liked", json!({})).await, 401);
        assert_eq!(receiver.consecutive_rejections().count(), count);
    }
    assert!(!server.webhook().is_active().unwrap());
    assert!(!receiver.consecutive_rejections().ever_verified());
}
