//! The receiver, which verifies deliveries and stores them. Any number may run.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};
use tracing::{Instrument, error, error_span, info, warn};
use webhook_verify::{Receiver, Rejection, Verified, VerifyError};

use crate::metrics::{WITHOUT_KEY, count_delivery as count, create_delivery_counters};
use crate::server::{HEALTH, Place};
use crate::{Queue, StoreError};

/// Maximum time to read a body; after that, the response is 408.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between messages about deliveries that are rejected, or not stored in an outage.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// Minimum time between two questions to the broker whether the receiver is ready.
const READY_INTERVAL: Duration = Duration::from_secs(1);

/// The header with the identifier of a request, set by most load balancers.
const REQUEST_ID: &str = "x-request-id";

/// Maximum length of the identifier of a request; a longer one is replaced.
const MAX_REQUEST_ID: usize = 64;

#[derive(Clone)]
struct AppState {
    receiver: Receiver,
    queue: Queue,
    key: EventKey,
    without_key: Arc<Once>,
    rejected: Unlogged<Rejection>,
    not_stored: Unlogged<StoreError>,
    /// The time of the last answer of the broker, and the answer.
    ready: Arc<tokio::sync::Mutex<Option<(Instant, bool)>>>,
}

/// The first of the errors that are not logged yet, and their number.
type Unlogged<E> = Arc<Mutex<Option<(E, u64)>>>;

/// Creates a router with `POST /hooks` for deliveries, `GET /health`, which returns 200 while the
/// process responds, and `GET /ready`, which returns 503 while deliveries cannot be stored.
///
/// It responds with 204 when the broker has acknowledged the delivery, as new or as a duplicate;
/// with 503 if it did not; and with 401, 408 or 413 if the delivery was rejected. A sender that
/// disconnects changes nothing: the delivery is handled, logged and counted nevertheless.
///
/// It logs each stored delivery with the request ID in the header `X-Request-Id`, or a random one,
/// which the response contains. Of those that are rejected, or that an outage prevents from being
/// stored, it logs at most one a second with their number.
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
    create_delivery_counters();
    Router::new()
        .route("/hooks", post(receive))
        .route(HEALTH, get(StatusCode::OK))
        .route("/ready", get(ready))
        .with_state(AppState {
            receiver: receiver.time_limit(BODY_TIMEOUT),
            queue,
            key,
            without_key: Arc::new(Once::new()),
            rejected: Arc::default(),
            not_stored: Arc::default(),
            ready: Arc::default(),
        })
}

/// The part of a delivery that identifies its event.
///
/// Deliveries with the same key within [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW) are the same
/// event. A delivery without a key is always a new event. Keys are in the body: the header with the
/// event kind is not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKey {
    /// No key: every delivery is a new event, even if it is sent twice.
    None,
    /// The SHA-256 digest of the body. Different events with equal bodies count as one event, so use
    /// this only for payloads that contain an ID or a time.
    Digest,
    /// A field of the payload, as a JSON pointer (RFC 6901) such as `/data/id`. The key is missing if
    /// the field is missing, empty, or neither a string nor a number. Numbers are compared as they are
    /// written, because two large IDs can be the same floating-point number.
    JsonField(String),
}

impl EventKey {
    fn of(&self, delivery: &Verified<Bytes>) -> Option<String> {
        let key = match self {
            Self::None => None,
            Self::Digest => Some(delivery.body_digest().to_string()),
            Self::JsonField(pointer) => {
                // Owned, since a body with a byte order mark cannot be borrowed.
                let payload: Box<RawValue> = delivery.json().ok()?;
                let field = json_field(&payload, pointer)?.get();
                match field.as_bytes() {
                    [b'"', ..] => serde_json::from_str(field).ok(),
                    [b'-' | b'0'..=b'9', ..] => Some(field.to_owned()),
                    _ => None,
                }
            }
        };
        key.filter(|key: &String| !key.is_empty())
    }
}

/// Returns the part of the JSON text at this pointer.
fn json_field<'p>(payload: &'p RawValue, pointer: &str) -> Option<&'p RawValue> {
    let mut tokens = pointer.split('/').skip(1);
    tokens.try_fold(payload, |value, token| {
        let name = token.replace("~1", "/").replace("~0", "~");
        match serde_json::from_str::<HashMap<String, &RawValue>>(value.get()) {
            Ok(mut object) => object.remove(&name),
            Err(_) => {
                let array: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
                array.get(name.parse::<usize>().ok()?).copied()
            }
        }
    })
}

impl FromStr for EventKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "digest" => Ok(Self::Digest),
            pointer if pointer.starts_with('/') => Ok(Self::JsonField(pointer.to_owned())),
            _ => Err("expected `none`, `digest` or a JSON pointer such as `/data/id`"),
        }
    }
}

async fn receive(
    State(state): State<AppState>,
    place: Option<Extension<Place>>,
    request: Request,
) -> Response {
    let request_id = request_id(request.headers()).unwrap_or_else(|| state.queue.new_id());
    // At the level of errors, so that every message has the identifier.
    let span = error_span!("delivery", request_id);
    // A task of its own is not cancelled if the sender disconnects.
    let responding = async move { respond(&state, request, place).await };
    let status = tokio::spawn(responding.instrument(span)).await;
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(REQUEST_ID, request_id)]).into_response()
}

/// Handles a delivery, and holds its place at the server until then.
async fn respond(
    state: &AppState,
    request: Request,
    _place: Option<Extension<Place>>,
) -> StatusCode {
    let (parts, body) = request.into_parts();
    let delivery = match state.receiver.receive(&parts.headers, body).await {
        Ok(delivery) => delivery,
        Err(rejection) => {
            let status = rejection.status();
            count(status, rejection_reason(&rejection));
            let receiver = state.receiver.clone();
            log_once(&state.rejected, rejection, move |rejection, deliveries| {
                let consecutive = receiver.consecutive_failures();
                warn!(%rejection, deliveries, %consecutive, "rejected a delivery");
            });
            return status;
        }
    };
    let key = state.key.of(&delivery);
    if key.is_none() && state.key != EventKey::None {
        WITHOUT_KEY.inc();
        let event_key = &state.key;
        state.without_key.call_once(|| {
            warn!(
                ?event_key,
                "a delivery has no event key; its duplicates are not detected"
            );
        });
    }
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
                    log_once(&state.not_stored, error, move |error, deliveries| {
                        error!(%error, reason, deliveries, "could not store deliveries");
                    });
                }
            }
            status
        }
    }
}

/// Logs the first error within [`LOG_INTERVAL`], with the number of errors, at the end of this time.
fn log_once<E: Send + 'static>(
    unlogged: &Unlogged<E>,
    error: E,
    log: impl FnOnce(E, u64) + Send + 'static,
) {
    let mut errors = unlogged.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, count)) = &mut *errors {
        *count += 1;
        return;
    }
    *errors = Some((error, 1));
    let unlogged = unlogged.clone();
    let logging = async move {
        sleep(LOG_INTERVAL).await;
        let errors = unlogged.lock();
        let errors = errors.unwrap_or_else(PoisonError::into_inner).take();
        if let Some((error, count)) = errors {
            log(error, count);
        }
    };
    tokio::spawn(logging.in_current_span());
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
    let is_valid =
        matches!(id.len(), 1..=MAX_REQUEST_ID) && id.bytes().all(|b| b.is_ascii_graphic());
    is_valid.then(|| id.to_owned())
}

async fn ready(State(state): State<AppState>) -> StatusCode {
    // Not cancelled either, so that disconnected clients cannot raise the rate.
    let asking = tokio::spawn(async move {
        let mut last = state.ready.lock().await;
        match *last {
            Some((asked, is_ready)) if asked.elapsed() < READY_INTERVAL => is_ready,
            _ => {
                let is_ready = state.queue.is_ready().await;
                *last = Some((Instant::now(), is_ready));
                is_ready
            }
        }
    });
    match asking.await.unwrap_or(false) {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use webhook_verify::{Headers, Secret, Verifier, sign};

    use super::*;

    #[track_caller]
    fn verified(body: &'static str) -> Verified<Bytes> {
        let secret = || Secret::new("a secret").unwrap();
        let signature = sign(&secret(), body);
        let headers = Headers::new([("X-Service-Signature", &signature)]);
        let body = Bytes::from_static(body.as_bytes());
        Verifier::new(secret()).verify(headers, body).unwrap()
    }

    #[test]
    fn uses_strings_and_numbers_as_keys() {
        let key: EventKey = "/data/id".parse().unwrap();
        for (body, expected) in [
            (r#"{"data":{"id":"e1"}}"#, Some("e1")),
            (r#"{"data":{"id":"\u00651"}}"#, Some("e1")),
            (r#"{"data":{"id":7}}"#, Some("7")),
            (
                r#"{"data":{"id":18446744073709551617}}"#,
                Some("18446744073709551617"),
            ),
            (
                r#"{"data":{"id":18446744073709551618}}"#,
                Some("18446744073709551618"),
            ),
            (r#"{"data":{"id":null}}"#, None),
            (r#"{"data":{"id":""}}"#, None),
            (r#"{"data":{"id":" "}}"#, Some(" ")),
            ("\u{feff}{\"data\":{\"id\":\"e1\"}}", Some("e1")),
            (r#"{"id":"e1"}"#, None),
            ("not JSON", None),
        ] {
            assert_eq!(key.of(&verified(body)).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn pointers_lead_through_objects_and_arrays() {
        let body = verified(r#"{ "a/b": [ {}, { "~c" : -1.50 } ], "d": [[ "x" ]] }"#);
        for (pointer, expected) in [
            ("/a~1b/1/~0c", Some("-1.50")),
            ("/d/0/0", Some("x")),
            ("/d/0", None),
            ("/d/1/0", None),
            ("/a/b", None),
        ] {
            let key: EventKey = pointer.parse().unwrap();
            assert_eq!(key.of(&body).as_deref(), expected, "{pointer}");
        }
    }

    #[test]
    fn digests_depend_on_the_body() {
        let key: EventKey = "digest".parse().unwrap();
        assert_eq!(key.of(&verified("a")), key.of(&verified("a")));
        assert_ne!(key.of(&verified("a")), key.of(&verified("b")));
        assert_eq!(EventKey::None.of(&verified("a")), None);
        assert!("data.id".parse::<EventKey>().is_err());
    }
}
