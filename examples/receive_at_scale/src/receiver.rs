//! One receiver, of which any number may run: it verifies, stores, and answers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use bytes::Bytes;
use webhook_verify::{Receiver, Verified};

use crate::{EventKey, NotStored, Queue};

#[derive(Clone)]
struct Receiving {
    receiver: Receiver,
    queue: Queue,
    key: Arc<EventKey>,
    on_failure: Arc<dyn Fn(&NotStored) + Send + Sync>,
}

/// `POST /hooks` for the service, and `GET /health` for whatever starts and stops receivers.
///
/// A delivery is answered with 204 once the broker has acknowledged it, as new or as had before;
/// with 503 when it has not, which `on_failure` is told; and with 401 or 413 when it is not
/// authentic. Receivers share nothing but the broker.
///
/// ```no_run
/// use receive_at_scale::{Queue, by_json_field, routes};
/// use webhook_verify::{Receiver, Secret, Verifier};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(Verifier::new(Secret::new("the webhook secret")?));
/// let queue = Queue::open("nats://127.0.0.1:4222").await?;
/// let app = routes(receiver, queue, by_json_field("/data/id"), |reason| eprintln!("{reason}"));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// axum::serve(listener, app).await?;
/// # Ok(())
/// # }
/// ```
pub fn routes(
    receiver: Receiver,
    queue: Queue,
    key: EventKey,
    on_failure: impl Fn(&NotStored) + Send + Sync + 'static,
) -> Router {
    Router::new()
        .route("/hooks", post(receive))
        .route("/health", get(health))
        .with_state(Receiving {
            receiver,
            queue,
            key: Arc::new(key),
            on_failure: Arc::new(on_failure),
        })
}

async fn receive(State(receiving): State<Receiving>, delivery: Verified<Bytes>) -> StatusCode {
    let key = (receiving.key)(&delivery);
    match receiving.queue.publish(delivery.into_body(), key).await {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(reason) => {
            (receiving.on_failure)(&reason);
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

async fn health(State(receiving): State<Receiving>) -> StatusCode {
    match receiving.queue.is_ready() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl FromRef<Receiving> for Receiver {
    fn from_ref(receiving: &Receiving) -> Self {
        receiving.receiver.clone()
    }
}
