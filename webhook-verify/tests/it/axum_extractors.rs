//! The axum extractors.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::{Request, Response, StatusCode};
use axum::routing::post;
use bytes::Bytes;
use http_body_util::BodyExt;
use serde::Deserialize;
use tower::ServiceExt;
use webhook_verify::{
    EventKind, EventKindError, KindError, PayloadError, Receiver, Rejection, SIGNATURE_HEADER,
    SignedRequest, Verified, VerifiedEvent, Verifier,
};

use crate::{SECRET, secret};

const EVENT: &str = r#"{"type":"post.liked","by":"grace"}"#;

#[derive(Debug, Deserialize)]
struct Payload {
    by: String,
}

async fn by(event: VerifiedEvent<Payload>) -> Result<String, PayloadError> {
    assert_eq!(event.delivery().event_kind(), Ok(EventKind::PostLiked));
    Ok(event.into_payload()?.by)
}

fn receiver() -> Receiver {
    Receiver::new(Verifier::new(secret(SECRET)).body_limit(4096))
}

fn signed(body: impl Into<String>) -> Request<Body> {
    SignedRequest::post("/hooks", body.into())
        .event_kind(EventKind::PostLiked)
        .sign(&secret(SECRET))
        .unwrap()
        .map(Body::from)
}

fn forged() -> Request<Body> {
    signed(EVENT).map(|_| Body::from("{}"))
}

async fn text(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn respond(router: Router, request: Request<Body>) -> (u16, String) {
    text(router.oneshot(request).await.unwrap()).await
}

/// Returns a router with this handler.
macro_rules! router {
    ($handler:expr) => {
        Router::new()
            .route("/hooks", post($handler))
            .with_state(receiver())
    };
}

fn router() -> Router {
    router!(by)
}

#[tokio::test]
async fn passes_authentic_events_to_the_handler() {
    let response = respond(router(), signed(EVENT)).await;
    assert_eq!(response, (200, "grace".to_owned()));
}

#[tokio::test]
async fn responds_to_forged_requests_with_an_empty_401() {
    let response = router().oneshot(forged()).await.unwrap();
    assert!(response.headers().is_empty() || response.headers()["content-length"] == "0");
    assert_eq!(text(response).await, (401, String::new()));

    let mut unsigned = signed(EVENT);
    unsigned.headers_mut().remove(SIGNATURE_HEADER);
    assert_eq!(respond(router(), unsigned).await, (401, String::new()));
}

/// axum's default limit is 2 MB.
#[tokio::test]
async fn uses_the_limit_of_the_verifier() {
    let verifier = Verifier::new(secret(SECRET)).body_limit(5_000_000);
    let router = Router::new()
        .route(
            "/hooks",
            post(|delivery: Verified<Bytes>| async move { delivery.body_length().to_string() }),
        )
        .layer(DefaultBodyLimit::max(10))
        .with_state(Receiver::new(verifier));
    let request = signed("x".repeat(3_000_000));
    assert_eq!(respond(router, request).await, (200, "3000000".to_owned()));
}

#[tokio::test]
async fn responds_to_invalid_payloads_with_2xx_and_calls_the_hook() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = logged.clone();
    let receiver =
        receiver().on_invalid_payload(move |error| log.lock().unwrap().push(error.to_string()));
    let router = Router::new()
        .route("/hooks", post(by))
        .with_state(receiver.clone());
    for body in ["", "not JSON", "[]", r#"{"by":1}"#] {
        let response = respond(router.clone(), signed(body)).await;
        assert_eq!(response, (204, String::new()));
    }
    assert_eq!(logged.lock().unwrap().len(), 4);
    assert_eq!(receiver.consecutive_failures().count(), 0);
}

#[tokio::test]
async fn an_event_has_two_parts() {
    async fn parts(event: VerifiedEvent<Payload>) -> Result<Vec<u8>, PayloadError> {
        let (delivery, payload) = event.into_parts();
        assert_eq!(payload?.by, "grace");
        Ok(delivery.body().to_vec())
    }
    let router = router!(parts);
    let expected = (200, EVENT.to_owned());
    assert_eq!(respond(router.clone(), signed(EVENT)).await, expected);
    assert_eq!(respond(router, signed("[]")).await, (204, String::new()));
}

#[tokio::test]
async fn passes_unknown_and_missing_kinds_to_the_handler() {
    async fn kind(event: VerifiedEvent<Payload>) -> String {
        format!("{:?}", event.delivery().event_kind())
    }
    let router = router!(kind);
    let mut request = signed(EVENT);
    let other = "post.shared".parse().unwrap();
    request.headers_mut().insert("x-service-event", other);
    let expected = r#"Ok(Other("post.shared"))"#.to_owned();
    assert_eq!(respond(router.clone(), request).await, (200, expected));
    let mut request = signed(EVENT);
    request.headers_mut().remove("x-service-event");
    let expected = (200, "Err(Missing)".to_owned());
    assert_eq!(respond(router, request).await, expected);
}

#[tokio::test]
async fn responds_with_2xx_if_header_and_payload_kinds_differ() {
    async fn confirmed(event: VerifiedEvent<Payload>) -> Result<StatusCode, KindError> {
        event.delivery().confirm_kind_in("type")?;
        Ok(StatusCode::ACCEPTED)
    }
    let router = router!(confirmed);
    assert_eq!(respond(router.clone(), signed(EVENT)).await.0, 202);
    let mut request = signed(EVENT);
    let other = "message.received".parse().unwrap();
    request.headers_mut().insert("x-service-event", other);
    assert_eq!(respond(router, request).await, (204, String::new()));

    async fn kind(event: VerifiedEvent<Payload>) -> Result<String, EventKindError> {
        Ok(event.delivery().event_kind()?.to_string())
    }
    let mut request = signed(EVENT);
    request.headers_mut().remove("x-service-event");
    assert_eq!(respond(router!(kind), request).await, (204, String::new()));
}

#[tokio::test]
async fn receiver_can_be_a_part_of_the_state() {
    #[derive(Clone)]
    struct State {
        receiver: Receiver,
    }
    impl FromRef<State> for Receiver {
        fn from_ref(state: &State) -> Self {
            state.receiver.clone()
        }
    }
    let receiver = receiver();
    let state = State {
        receiver: receiver.clone(),
    };
    let router = Router::new().route("/hooks", post(by)).with_state(state);
    for run in 1..=3 {
        assert_eq!(respond(router.clone(), forged()).await.0, 401);
        assert_eq!(receiver.consecutive_failures().count(), run);
    }
}

#[tokio::test]
async fn handler_can_inspect_the_rejection() {
    async fn look(event: Result<VerifiedEvent<Payload>, Rejection>) -> String {
        event.unwrap_err().to_string()
    }
    let router = router!(look);
    let (status, reason) = respond(router, forged()).await;
    assert_eq!(status, 200);
    assert!(reason.starts_with("X-Service-Signature does not match the body (length in bytes: 2"));
}
