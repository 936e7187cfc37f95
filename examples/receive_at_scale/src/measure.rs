//! `--measure`: how many deliveries a second are stored, beside the same without verifying.

use std::error::Error;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use bytes::Bytes;
use receive_at_scale::{Queue, TrialBroker, none, routes};
use tokio::task::JoinSet;
use tower::ServiceExt;
use webhook_verify::{Receiver, Secret, SignedRequest, Verifier};

const DELIVERIES: usize = 20_000;
const AT_ONCE: usize = 64;
const ROUNDS: usize = 5;

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let Some(broker) = TrialBroker::start().await? else {
        return Err("there is no nats-server here; install it, or name it in NATS_SERVER".into());
    };
    let queue = Queue::open(&broker.url()).await?;
    let secret = || Secret::new("the webhook secret");
    let receiver = Receiver::new(Verifier::new(secret()?));
    let verifying = routes(receiver, queue.clone(), none(), |_| {});
    let trusting = Router::new().route("/hooks", post(store)).with_state(queue);

    println!(
        "{DELIVERIES} deliveries of 256 bytes, {AT_ONCE} at once, no sockets before the router"
    );
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let without = rate(&trusting, &secret()?).await?;
        let with = rate(&verifying, &secret()?).await?;
        println!("{with:.0} a second, {without:.0} without verifying");
        ratios.push(with / without);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "ratio {:.2} (median of {ROUNDS} rounds)",
        ratios[ROUNDS / 2]
    );
    Ok(())
}

/// What a receiver would do that believes everybody.
async fn store(State(queue): State<Queue>, body: Bytes) -> StatusCode {
    match queue.publish(body, None).await {
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
    for _ in 0..AT_ONCE {
        let (app, parts, body) = (app.clone(), parts.clone(), body.clone());
        senders.spawn(async move {
            for _ in 0..DELIVERIES / AT_ONCE {
                let request = Request::from_parts(parts.clone(), Body::from(body.clone()));
                let answer = app
                    .clone()
                    .oneshot(request)
                    .await
                    .expect("a router always answers");
                assert_eq!(answer.status(), StatusCode::NO_CONTENT);
            }
        });
    }
    while let Some(sent) = senders.join_next().await {
        sent?;
    }
    let sent = (DELIVERIES / AT_ONCE * AT_ONCE) as f64;
    Ok(sent / start.elapsed().as_secs_f64())
}
