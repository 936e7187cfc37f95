//! The receiver, which verifies deliveries and stores them. Any number may run.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use tracing::{Instrument, error, error_span, info, warn};
use webhook_verify::{Receiver, Rejection, Verified, VerifyError};

use crate::metrics::{DELIVERIES, DELIVERY_SECONDS};
use crate::{EventKey, Queue, StoreError};

/// The header with the identifier of a request, set by most load balancers.
const REQUEST_ID: &str = "x-request-id";

/// The maximum length of an identifier from the header.
const MAX_REQUEST_ID: usize = 128;

#[derive(Clone)]
struct AppState {
    receiver: Receiver,
    queue: Queue,
    key: Arc<EventKey>,
}

/// Creates a router with `POST /hooks` for deliveries, `GET /health`, which returns 200 while the
/// process responds, and `GET /ready`, which returns 503 while deliveries cannot be stored.
///
/// It responds with 204 when the broker has acknowledged the delivery, as new or as a duplicate;
/// with 503 if the delivery could not be stored; and with 401 or 413 if it was rejected. It logs
/// each delivery with the request id in the header `X-Request-Id`, or a random one, which the
/// response contains.
///
/// ```no_run
/// use receive_at_scale::{Queue, by_json_field, routes};
/// use webhook_verify::{Receiver, Secret, Verifier};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(Verifier::new(Secret::new("the webhook secret")?));
/// let queue = Queue::open("nats://127.0.0.1:4222").await?;
/// let app = routes(receiver, queue, by_json_field("/data/id"));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// receive_at_scale::serve(listener, app, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub fn routes(receiver: Receiver, queue: Queue, key: EventKey) -> Router {
    Router::new()
        .route("/hooks", post(receive))
        .route("/health", get(StatusCode::OK))
        .route("/ready", get(ready))
        .with_state(AppState {
            receiver,
            queue,
            key: Arc::new(key),
        })
}

async fn receive(State(state): State<AppState>, request: Request) -> Response {
    let start = Instant::now();
    let request_id = request_id(request.headers()).unwrap_or_else(|| state.queue.new_id());
    // At the level of errors, so that every message has the identifier.
    let span = error_span!("delivery", request_id);
    let (status, reason) = respond(&state, request).instrument(span).await;
    DELIVERIES
        .with_label_values(&[status.as_str(), reason])
        .inc();
    DELIVERY_SECONDS.observe(start.elapsed().as_secs_f64());
    (status, [(REQUEST_ID, request_id)]).into_response()
}

/// Returns the status of the response and the reason for it.
async fn respond(state: &AppState, request: Request) -> (StatusCode, &'static str) {
    let (parts, body) = request.into_parts();
    let delivery = match state.receiver.receive(&parts.headers, body).await {
        Ok(delivery) => delivery,
        Err(rejection) => {
            let run = state.receiver.failures();
            warn!(%rejection, %run, "rejected a delivery");
            return (rejection.status(), rejection_reason(&rejection));
        }
    };
    match store(state, delivery).await {
        Ok(reason) => (StatusCode::NO_CONTENT, reason),
        Err(error) => {
            error!(%error, "could not store a delivery");
            match error {
                StoreError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
                StoreError::TooManyPending => (StatusCode::SERVICE_UNAVAILABLE, "too_many_pending"),
                StoreError::Timeout(_) => (StatusCode::SERVICE_UNAVAILABLE, "broker_timeout"),
            }
        }
    }
}

async fn store(state: &AppState, delivery: Verified<Bytes>) -> Result<&'static str, StoreError> {
    let key = (state.key)(&delivery);
    let kind = delivery.event_kind().ok();
    let kind = kind.as_ref().map(|kind| kind.as_str());
    let stored = state.queue.publish(delivery.into_body(), key, kind).await?;
    let reason = match stored.is_duplicate {
        true => "duplicate",
        false => "stored",
    };
    info!(sequence = stored.sequence, reason, "stored a delivery");
    Ok(reason)
}

fn rejection_reason(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::NotVerified(VerifyError::SignatureMissing) => "signature_missing",
        Rejection::NotVerified(VerifyError::Mismatch { .. }) => "signature_mismatch",
        Rejection::NotVerified(VerifyError::TooLarge { .. }) => "body_too_large",
        Rejection::NotVerified(_) => "signature_malformed",
        _ => "body_unreadable",
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    (1..=MAX_REQUEST_ID)
        .contains(&id.len())
        .then(|| id.to_owned())
}

async fn ready(State(state): State<AppState>) -> StatusCode {
    match state.queue.is_ready().await {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}
