//! The receiver, which verifies deliveries and stores them. Any number may run.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use bytes::Bytes;
use webhook_verify::{Receiver, Verified};

use crate::{EventKey, Queue, StoreError};

#[derive(Clone)]
struct AppState {
    receiver: Receiver,
    queue: Queue,
    key: Arc<EventKey>,
    on_failure: Arc<dyn Fn(&StoreError) + Send + Sync>,
}

/// Creates a router with `POST /hooks` for deliveries, `GET /health`, which returns 200 while the
/// process responds, and `GET /ready`, which returns 503 while deliveries cannot be stored.
///
/// It responds with 204 when the broker has acknowledged the delivery, as new or as a duplicate;
/// with 503, after calling `on_failure`, if the delivery could not be stored; and with 401 or 413
/// if it was rejected.
///
/// ```no_run
/// use receive_at_scale::{Queue, by_json_field, routes};
/// use webhook_verify::{Receiver, Secret, Verifier};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(Verifier::new(Secret::new("the webhook secret")?));
/// let queue = Queue::open("nats://127.0.0.1:4222").await?;
/// let app = routes(receiver, queue, by_json_field("/data/id"), |error| eprintln!("{error}"));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// receive_at_scale::serve(listener, app, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub fn routes(
    receiver: Receiver,
    queue: Queue,
    key: EventKey,
    on_failure: impl Fn(&StoreError) + Send + Sync + 'static,
) -> Router {
    Router::new()
        .route("/hooks", post(receive))
        .route("/health", get(StatusCode::OK))
        .route("/ready", get(ready))
        .with_state(AppState {
            receiver,
            queue,
            key: Arc::new(key),
            on_failure: Arc::new(on_failure),
        })
}

async fn receive(State(state): State<AppState>, delivery: Verified<Bytes>) -> StatusCode {
    let key = (state.key)(&delivery);
    let kind = delivery.event_kind().ok();
    let kind = kind.as_ref().map(|kind| kind.as_str());
    match state.queue.publish(delivery.into_body(), key, kind).await {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(error) => {
            (state.on_failure)(&error);
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

async fn ready(State(state): State<AppState>) -> StatusCode {
    match state.queue.is_ready().await {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl FromRef<AppState> for Receiver {
    fn from_ref(state: &AppState) -> Self {
        state.receiver.clone()
    }
}
