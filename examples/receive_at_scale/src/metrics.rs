//! Metrics of the process in the format of Prometheus, and the backlog in the broker.

use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use prometheus::{
    Histogram, IntCounterVec, IntGaugeVec, TextEncoder, register_histogram,
    register_int_counter_vec, register_int_gauge_vec,
};
use tokio::time::timeout;
use tracing::warn;

use crate::{Backlog, Queue, QueueError};

/// Deliveries by the status of the response and the reason for it.
pub(crate) static DELIVERIES: LazyLock<IntCounterVec> = LazyLock::new(|| {
    registered(register_int_counter_vec!(
        "webhook_deliveries_total",
        "Deliveries by response",
        &["status", "reason"]
    ))
});

pub(crate) static DELIVERY_SECONDS: LazyLock<Histogram> = LazyLock::new(|| {
    registered(register_histogram!(
        "webhook_delivery_seconds",
        "Time from the headers of a delivery to its response",
        vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 4.0, 8.0]
    ))
});

/// Attempts to handle an event by their outcome: `handled`, `failed`, or `dead`.
pub(crate) static ATTEMPTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    registered(register_int_counter_vec!(
        "webhook_event_attempts_total",
        "Attempts to handle an event by outcome",
        &["worker", "outcome"]
    ))
});

pub(crate) static REDELIVERIES: LazyLock<IntCounterVec> = LazyLock::new(|| {
    registered(register_int_counter_vec!(
        "webhook_event_redeliveries_total",
        "Events that a worker received again",
        &["worker"]
    ))
});

pub(crate) static EVENT_SECONDS: LazyLock<Histogram> = LazyLock::new(|| {
    registered(register_histogram!(
        "webhook_event_seconds",
        "Time from storing an event until it is handled",
        vec![
            0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 21_600.0, 86_400.0
        ]
    ))
});

static BACKLOG: LazyLock<IntGaugeVec> = LazyLock::new(|| {
    registered(register_int_gauge_vec!(
        "webhook_backlog",
        "Events that a worker has not handled",
        &["worker", "state"]
    ))
});

fn registered<T>(metric: prometheus::Result<T>) -> T {
    metric.expect("names of metrics are valid and unique")
}

/// Maximum time to ask the broker for the backlog, less than the timeout of a scrape.
const BACKLOG_TIMEOUT: Duration = Duration::from_secs(5);

/// Creates a router with `GET /metrics`, which returns the metrics of this process and the backlog
/// of each worker. Serve it on an address that the internet cannot reach.
///
/// While the broker does not respond, the backlog is missing.
///
/// ```no_run
/// # async fn serve(queue: receive_at_scale::Queue) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9464").await?;
/// let app = receive_at_scale::metrics_routes(queue);
/// receive_at_scale::serve(listener, app, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub fn metrics_routes(queue: Queue) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(queue)
}

async fn metrics(State(queue): State<Queue>) -> Result<String, StatusCode> {
    let backlogs = timeout(BACKLOG_TIMEOUT, backlogs(&queue)).await;
    BACKLOG.reset();
    match backlogs {
        Ok(Ok(backlogs)) => backlogs.iter().for_each(set_backlog),
        Ok(Err(error)) => warn!(%error, "could not read the backlog"),
        Err(error) => warn!(%error, "could not read the backlog"),
    }
    TextEncoder::new()
        .encode_to_string(&prometheus::gather())
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

async fn backlogs(queue: &Queue) -> Result<Vec<(String, Backlog)>, QueueError> {
    let mut backlogs = Vec::new();
    for worker in queue.workers().await? {
        let backlog = queue.backlog(&worker).await?;
        backlogs.push((worker, backlog));
    }
    Ok(backlogs)
}

fn set_backlog((worker, backlog): &(String, Backlog)) {
    for (state, count) in [
        ("waiting", backlog.waiting),
        ("unfinished", backlog.unfinished),
        ("dead", backlog.dead_letters),
    ] {
        let gauge = BACKLOG.with_label_values(&[worker.as_str(), state]);
        gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}
