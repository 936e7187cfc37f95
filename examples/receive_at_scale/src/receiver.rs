//! The receiver, which verifies deliveries and stores them. Any number may run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::time::sleep;
use tracing::{Instrument, error, error_span, info, warn};
use webhook_verify::{Receiver, Rejection, VerifyError};

use crate::metrics::DELIVERIES;
use crate::{EventKey, Queue, StoreError};

/// Maximum time to read a body; after that, the response is 408.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between messages about deliveries that are not stored in an outage.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// The header with the identifier of a request, set by most load balancers.
const REQUEST_ID: &str = "x-request-id";

#[derive(Clone)]
struct AppState {
    receiver: Receiver,
    queue: Queue,
    key: EventKey,
    not_stored: Arc<AtomicU64>,
}

/// Creates a router with `POST /hooks` for deliveries, `GET /health`, which returns 200 while the
/// process responds, and `GET /ready`, which returns 503 while deliveries cannot be stored.
///
/// It responds with 204 when the broker has acknowledged the delivery, as new or as a duplicate;
/// with 503 if it did not; and with 401, 408 or 413 if the delivery was rejected. It logs
/// each delivery with the request ID in the header `X-Request-Id`, or a random one, which the
/// response contains. In an outage, it logs one line a second with the number of deliveries instead.
///
/// ```no_run
/// use receive_at_scale::{EventKey, Queue, QueueSettings, routes};
/// use webhook_verify::{Receiver, Secret, Verifier};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(Verifier::new(Secret::new("the webhook secret")?));
/// let queue = Queue::open(QueueSettings::new("nats://127.0.0.1:4222")?).await?;
/// let app = routes(receiver, queue, EventKey::JsonField("/data/id".to_owned()));
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
            receiver: receiver.time_limit(BODY_TIMEOUT),
            queue,
            key,
            not_stored: Arc::default(),
        })
}

async fn receive(State(state): State<AppState>, request: Request) -> Response {
    let request_id = request_id(request.headers()).unwrap_or_else(|| state.queue.new_id());
    // At the level of errors, so that every message has the identifier.
    let span = error_span!("delivery", request_id);
    let status = respond(&state, request).instrument(span).await;
    (status, [(REQUEST_ID, request_id)]).into_response()
}

async fn respond(state: &AppState, request: Request) -> StatusCode {
    let (parts, body) = request.into_parts();
    let delivery = match state.receiver.receive(&parts.headers, body).await {
        Ok(delivery) => delivery,
        Err(rejection) => {
            let consecutive = state.receiver.consecutive_rejections();
            warn!(%rejection, %consecutive, "rejected a delivery");
            count(rejection.status(), rejection_reason(&rejection));
            return rejection.status();
        }
    };
    let key = state.key.of(&delivery);
    let kind = delivery.event_kind().ok();
    let kind = kind.as_ref().map(|kind| kind.as_str());
    match state.queue.publish(delivery.into_body(), key, kind).await {
        Ok(stored) => {
            let reason = match stored.duplicate {
                true => "duplicate",
                false => "stored",
            };
            info!(sequence = stored.sequence, reason, "stored a delivery");
            count(StatusCode::NO_CONTENT, reason);
            StatusCode::NO_CONTENT
        }
        Err(error) => {
            let (status, reason) = store_failure(&error);
            let total = count(status, reason);
            match error {
                StoreError::TooLarge { .. } | StoreError::Unconfirmed => {
                    error!(%error, reason, total, "could not store a delivery");
                }
                StoreError::TooManyPending | StoreError::NotStored(_) => {
                    log_outage(&state.not_stored, error, reason);
                }
            }
            status
        }
    }
}

/// Logs the number of deliveries that were not stored within [`LOG_INTERVAL`], with the first error.
fn log_outage(not_stored: &Arc<AtomicU64>, error: StoreError, reason: &'static str) {
    if not_stored.fetch_add(1, Ordering::Relaxed) == 0 {
        let not_stored = not_stored.clone();
        tokio::spawn(async move {
            sleep(LOG_INTERVAL).await;
            let deliveries = not_stored.swap(0, Ordering::Relaxed);
            error!(%error, reason, deliveries, "could not store deliveries");
        });
    }
}

/// Counts a response, and returns the number of responses with this status and reason.
fn count(status: StatusCode, reason: &str) -> u64 {
    let counter = DELIVERIES.with_label_values(&[status.as_str(), reason]);
    counter.inc();
    counter.get()
}

fn store_failure(error: &StoreError) -> (StatusCode, &'static str) {
    match error {
        StoreError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
        StoreError::TooManyPending => (StatusCode::SERVICE_UNAVAILABLE, "too_many_pending"),
        StoreError::NotStored(_) => (StatusCode::SERVICE_UNAVAILABLE, "not_stored"),
        StoreError::Unconfirmed => (StatusCode::SERVICE_UNAVAILABLE, "unconfirmed"),
    }
}

fn rejection_reason(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::NotVerified(VerifyError::SignatureMissing) => "signature_missing",
        Rejection::NotVerified(VerifyError::Mismatch { .. }) => "signature_mismatch",
        Rejection::NotVerified(VerifyError::TooLarge { .. }) => "body_too_large",
        Rejection::NotVerified(_) => "signature_malformed",
        Rejection::TimedOut(_) => "slow_sender",
        _ => "body_unreadable",
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    (!id.is_empty()).then(|| id.to_owned())
}

async fn ready(State(state): State<AppState>) -> StatusCode {
    match state.queue.is_ready().await {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}
