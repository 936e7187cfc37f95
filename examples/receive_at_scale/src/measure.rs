//! The benchmark: deliveries stored per second, compared with the same without verification.

use std::error::Error;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use bytes::Bytes;
use receive_at_scale::{LocalBroker, Queue, QueueError, QueueSettings, none, routes};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tower::ServiceExt;
use webhook_verify::{Receiver, Secret, SignedRequest, Verifier};

const DELIVERIES: usize = 20_000;
const IN_FLIGHT: usize = 64;
const ROUNDS: usize = 15;

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let missing = "nats-server not found; install it, or set NATS_SERVER to its path";
    println!("{DELIVERIES} deliveries of 256 bytes, {IN_FLIGHT} at once, without sockets");
    let broker = LocalBroker::start().await?.ok_or(missing)?;
    compare(Queue::open(&broker.url()).await?, "one broker").await?;
    drop(broker);

    let brokers = LocalBroker::start_cluster().await?.ok_or(missing)?;
    let urls = brokers.each_ref().map(LocalBroker::url).join(",");
    let mut settings = QueueSettings::new(urls);
    settings.replicas = 3;
    let queue = loop {
        // The cluster has no leader at first.
        match Queue::open_with(settings.clone()).await {
            Err(QueueError::Broker { .. }) => sleep(Duration::from_millis(100)).await,
            opened => break opened?,
        }
    };
    compare(queue, "three replicas").await
}

/// Measures with and without verification in turns.
async fn compare(queue: Queue, brokers: &str) -> Result<(), Box<dyn Error>> {
    let secret = || Secret::new("the webhook secret");
    let receiver = Receiver::new(Verifier::new(secret()?));
    let verifying = routes(receiver, queue.clone(), none());
    let not_verifying = Router::new().route("/hooks", post(store)).with_state(queue);

    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let without = rate(&not_verifying, &secret()?).await?;
        let with = rate(&verifying, &secret()?).await?;
        println!("{with:.0} per second, {without:.0} without verification");
        ratios.push(with / without);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "ratio {:.2} with {brokers} (median of {ROUNDS} rounds)",
        ratios[ROUNDS / 2]
    );
    Ok(())
}

/// Stores a body without verifying it.
async fn store(State(queue): State<Queue>, body: Bytes) -> StatusCode {
    match queue.publish(body, None, None).await {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn rate(app: &Router, secret: &Secret) -> Result<f64, Box<dyn Error>> {
    let delivery = SignedRequest::post("http://localhost/hooks", "x".repeat(256)).sign(secret)?;
    let (parts, body) = delivery.into_parts();
    let body = Bytes::from(body);
    let start = Instant::now();
    let mut senders = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let (app, parts, body) = (app.clone(), parts.clone(), body.clone());
        senders.spawn(async move {
            for _ in 0..DELIVERIES / IN_FLIGHT {
                let request = Request::from_parts(parts.clone(), Body::from(body.clone()));
                let response = app
                    .clone()
                    .oneshot(request)
                    .await
                    .expect("routers are infallible");
                assert_eq!(response.status(), StatusCode::NO_CONTENT);
            }
        });
    }
    while let Some(sent) = senders.join_next().await {
        sent?;
    }
    let sent = (DELIVERIES / IN_FLIGHT * IN_FLIGHT) as f64;
    Ok(sent / start.elapsed().as_secs_f64())
}
