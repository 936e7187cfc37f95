//! Metrics of the process in the format of Prometheus, and the backlog in the broker.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use prometheus::{
    IntCounter, IntCounterVec, IntGaugeVec, TextEncoder, register_int_counter,
    register_int_counter_vec, register_int_gauge_vec,
};
use tracing::warn;

use crate::{Queue, QueueError};

const VALID: &str = "names of metrics are valid and unique";

/// Deliveries by the status of the response and the reason for it.
static DELIVERIES: LazyLock<IntCounterVec> = LazyLock::new(|| {
    let (name, help) = ("webhook_deliveries_total", "Deliveries by response");
    register_int_counter_vec!(name, help, &["status", "reason"]).expect(VALID)
});

/// The status and reason of each response to a delivery.
const RESPONSES: [(u16, &str); 12] = [
    (204, "stored"),
    (204, "duplicate"),
    (400, "body_unreadable"),
    (401, "signature_missing"),
    (401, "signature_malformed"),
    (401, "signature_mismatch"),
    (408, "slow_sender"),
    (413, "body_too_large"),
    (503, "not_stored"),
    (503, "unconfirmed"),
    (503, "too_many_pending"),
    (503, "too_many_requests"),
];

/// Deliveries in whose payload the event key is missing.
pub(crate) static WITHOUT_KEY: LazyLock<IntCounter> = LazyLock::new(|| {
    let name = "webhook_deliveries_without_key_total";
    register_int_counter!(name, "Deliveries without a key").expect(VALID)
});

/// Calls of the handler by their outcome.
static ATTEMPTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    let (name, help) = ("webhook_event_attempts_total", "Calls of the handler");
    register_int_counter_vec!(name, help, &["worker", "outcome"]).expect(VALID)
});

/// The counter of an outcome: `handled`, `failed`, or `dead`.
pub(crate) fn attempts(worker: &str, outcome: &str) -> IntCounter {
    ATTEMPTS.with_label_values(&[worker, outcome])
}

/// Creates the counters of a receiver, at 0.
pub(crate) fn create_delivery_counters() {
    LazyLock::force(&WITHOUT_KEY);
    for (status, reason) in RESPONSES {
        DELIVERIES.with_label_values(&[status.to_string().as_str(), reason]);
    }
}

/// Counts a response, and returns the number of responses with this status and reason.
pub(crate) fn count_delivery(status: StatusCode, reason: &str) -> u64 {
    debug_assert!(RESPONSES.contains(&(status.as_u16(), reason)), "{reason}");
    let counter = DELIVERIES.with_label_values(&[status.as_str(), reason]);
    counter.inc();
    counter.get()
}

static BACKLOG: LazyLock<IntGaugeVec> = LazyLock::new(|| {
    let (name, help) = ("webhook_backlog", "Events that a worker has not handled");
    register_int_gauge_vec!(name, help, &["worker", "state"]).expect(VALID)
});

/// Creates a router with `GET /metrics`, which returns the metrics of this process and the backlog
/// of each worker. Serve it on an address that the internet cannot reach.
///
/// While the broker does not respond, the backlog is missing.
pub fn metrics_routes(queue: Queue) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(queue)
}

async fn metrics(State(queue): State<Queue>) -> Result<String, StatusCode> {
    BACKLOG.reset();
    // The loss of the broker is in the log already.
    if let Err(error) = set_backlog(&queue).await
        && queue.is_connected()
    {
        warn!(%error, "could not read the backlog");
    }
    let text = TextEncoder::new().encode_to_string(&prometheus::gather());
    text.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

async fn set_backlog(queue: &Queue) -> Result<(), QueueError> {
    for worker in queue.workers().await? {
        let backlog = queue.backlog(&worker).await?;
        for (state, count) in [
            ("waiting", backlog.waiting),
            ("unfinished", backlog.unfinished),
            ("dead", backlog.dead_letters),
        ] {
            let gauge = BACKLOG.with_label_values(&[worker.as_str(), state]);
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }
    Ok(())
}
