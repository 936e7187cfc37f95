//! Receives deliveries with axum, while the secret is being changed, and tells when something is
//! wrong before the service turns the webhook off.
//!
//! It sends itself genuine and forged deliveries and ends. With the argument `serve` it serves on
//! 127.0.0.1:8080 instead, with the secrets of `PROFILE_WEBHOOK_SECRET` and, while both are in use,
//! `PROFILE_WEBHOOK_SECRET_BEFORE`.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "refusals are for the operator's log")]

use std::env;
use std::error::Error;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use mock_server::MockServer;
use mock_server::webhook::EventKind;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use webhook_verify::{FailureRun, Receiver, Refusal, Secret, VerifiedEvent, Verifier};

/// Refusals in a row that are told to a person. The service turns the webhook off after ten failed
/// deliveries in a row, so half of them leaves time to act.
const ALERT_AT: usize = FailureRun::TURNS_WEBHOOK_OFF / 2;

/// A route for the service, and one that a monitor asks.
fn app(receiver: Receiver) -> Router {
    Router::new()
        .route("/hooks", post(receive))
        .route("/health", get(health))
        .with_state(receiver)
}

/// Runs for authentic deliveries alone. Whatever their kind and payload, they are answered with 2xx,
/// since ten failed deliveries in a row turn the webhook off.
async fn receive(event: VerifiedEvent<Value>) -> StatusCode {
    let secret = event.delivery().secret_index();
    // The header is not signed; the payload is, where it names a kind.
    match event.delivery().confirm_kind_in("type") {
        Ok(kind) => println!("genuine, secret {secret}: {kind}"),
        Err(reason) => println!("genuine, secret {secret}, put aside: {reason}"),
    }
    StatusCode::NO_CONTENT
}

/// The receiver counts refusals with a `FailureCounter`; one alone means nothing, since anybody can
/// send a forgery.
async fn health(State(receiver): State<Receiver>) -> (StatusCode, String) {
    let run = receiver.failures();
    let status = match run.in_row() < ALERT_AT {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, run.to_string())
}

/// Called for each refusal with the run that it stands in.
fn tell(refusal: &Refusal, run: FailureRun) {
    eprintln!("refused: {refusal}");
    if run.in_row() == ALERT_AT {
        eprintln!("ALERT: {run}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("serve") {
        let secret = env::var("PROFILE_WEBHOOK_SECRET")
            .map_err(|_| "the environment has no PROFILE_WEBHOOK_SECRET")?;
        let verifier = Verifier::new(Secret::new(secret)?);
        let verifier = match env::var("PROFILE_WEBHOOK_SECRET_BEFORE") {
            Ok(before) => verifier.or(Secret::new(before)?),
            Err(_) => verifier,
        };
        let listener = TcpListener::bind("127.0.0.1:8080").await?;
        let receiver = Receiver::new(verifier).on_refusal(tell);
        return Ok(axum::serve(listener, app(receiver)).await?);
    }

    // Both secrets are taken, until the service has changed to the new one.
    let verifier = Verifier::new(Secret::new("the new one")?).or(Secret::new("the old one")?);
    let receiver = Receiver::new(verifier).on_refusal(tell);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    let served = receiver.clone();
    tokio::spawn(async move { axum::serve(listener, app(served)).await });
    send_deliveries(&url, &receiver).await
}

/// What the service would send before, during and after the change, and what a forger would.
async fn send_deliveries(url: &str, receiver: &Receiver) -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    let webhook = service.webhook();
    for secret in ["the old one", "the new one"] {
        webhook.point_at(url, secret)?;
        let data = json!({"from": "grace"});
        let delivery = webhook.emit(EventKind::FOLLOW_CREATED, data).await?;
        println!("  {}", delivery.outcome);
    }
    for body in [br#"{"type":"badge.awarded"}"#.to_vec(), b"no JSON".to_vec()] {
        println!("  {}", webhook.emit("badge.awarded", body).await?.outcome);
    }

    webhook.point_at(url, "a forger's")?;
    while webhook.is_active()? {
        let delivery = webhook.emit(EventKind::POST_LIKED, json!({})).await?;
        println!("  {}", delivery.outcome);
    }
    println!("the webhook is off; {}", receiver.failures());
    Ok(())
}
