//! Receives webhooks with axum during a rotation of the secret, and logs an alert before the
//! service turns the webhook off.
//!
//! Without arguments, it sends genuine and forged deliveries to itself. With the argument `serve`,
//! it listens on 127.0.0.1:8080, or the port in `PORT`, and accepts the secrets in
//! `PROFILE_WEBHOOK_SECRET` and, if set, `PROFILE_WEBHOOK_SECRET_BEFORE`.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use mock_server::MockServer;
use mock_server::webhook::EventKind;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use webhook_verify::{MAX_CONSECUTIVE_FAILURES, Receiver, Secret, VerifiedEvent, Verifier};

/// Number of consecutive failures that triggers an alert: half of the number of failures after
/// which the service turns the webhook off.
const ALERT_THRESHOLD: u32 = MAX_CONSECUTIVE_FAILURES / 2;

/// Maximum time to read a body. The README of webhook-verify names the limits that are missing here.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Creates a router with a route for deliveries and one for health checks, which does not depend on
/// failures: anyone can cause them with forged requests.
fn app(receiver: Receiver) -> Router {
    let counted = post(receive).route_layer(from_fn_with_state(receiver.clone(), count));
    Router::new()
        .route("/hooks", counted)
        .route("/health", get(StatusCode::OK))
        .with_state(receiver)
}

/// Handles verified deliveries. Responds with 2xx even if the kind or the payload is unexpected,
/// because ten failed deliveries in a row turn the webhook off.
async fn receive(event: VerifiedEvent<Value>) -> StatusCode {
    let secret = event.delivery().secret_index();
    // The header with the kind is not signed, so compare it with the kind in the payload.
    match event.delivery().confirm_kind_in("type") {
        Ok(kind) => println!("genuine, secret {secret}: {kind}"),
        Err(error) => println!("genuine, secret {secret}, ignored: {error}"),
    }
    StatusCode::NO_CONTENT
}

/// Counts each response, as the service does.
async fn count(State(receiver): State<Receiver>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    receiver.count_response(&response);
    response
}

/// Creates a receiver that logs rejections, and an alert once per run of failures.
fn receiver(verifier: Verifier) -> Receiver {
    let alerted = AtomicBool::new(false);
    Receiver::new(verifier)
        .time_limit(TIME_LIMIT)
        .on_rejection(|rejection, _| log(format_args!("rejected: {rejection}")))
        .on_failure(move |consecutive| {
            let is_due = consecutive.count() >= ALERT_THRESHOLD;
            if !alerted.swap(is_due, Ordering::Relaxed) && is_due {
                log(format_args!("ALERT: {consecutive}"));
            }
        })
}

/// Unlike `eprintln!`, does not panic if stderr cannot be written.
fn log(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("serve") {
        // Compose and Helm set variables without a value to an empty text.
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let secret = |name| {
            let value = variable(name).ok_or(format!("{name} is not set; expected the secret"))?;
            let secret = Secret::new(value.into_encoded_bytes());
            secret.map_err(|error| format!("{name}: {error}"))
        };
        let mut verifier = Verifier::new(secret("PROFILE_WEBHOOK_SECRET")?);
        if variable("PROFILE_WEBHOOK_SECRET_BEFORE").is_some() {
            verifier = verifier.also_accept(secret("PROFILE_WEBHOOK_SECRET_BEFORE")?);
        }
        let port = variable("PORT").unwrap_or("8080".into());
        let address = format!("127.0.0.1:{}", port.to_string_lossy());
        let listener = TcpListener::bind(address).await?;
        return Ok(axum::serve(listener, app(receiver(verifier))).await?);
    }

    // Accept both secrets until the service uses the new one.
    let verifier =
        Verifier::new(Secret::new("the new secret")?).also_accept(Secret::new("the old secret")?);
    let receiver = receiver(verifier);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    let router = app(receiver.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    send_deliveries(&url, &receiver).await
}

/// Sends deliveries signed with both secrets, unusual ones, and forged ones until the webhook is
/// off.
async fn send_deliveries(url: &str, receiver: &Receiver) -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    let webhook = service.webhook();
    for secret in ["the old secret", "the new secret"] {
        webhook.set_receiver(url, secret)?;
        let data = json!({"from": "grace"});
        let delivery = webhook.emit(EventKind::FOLLOW_CREATED, data).await?;
        println!("  {}", delivery.outcome);
    }
    for body in [
        br#"{"type":"badge.awarded"}"#.to_vec(),
        b"not JSON".to_vec(),
    ] {
        println!("  {}", webhook.emit("badge.awarded", body).await?.outcome);
    }

    webhook.set_receiver(url, "another secret")?;
    while webhook.is_active()? {
        let delivery = webhook.emit(EventKind::POST_LIKED, json!({})).await?;
        println!("  {}", delivery.outcome);
    }
    println!("the webhook is off; {}", receiver.consecutive_failures());
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn forged_requests_do_not_change_the_health() -> Result<(), Box<dyn Error>> {
        let receiver = receiver(Verifier::new(Secret::new("the webhook secret")?));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = app(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        send_deliveries(&format!("http://{address}/hooks"), &receiver).await?;
        assert!(receiver.consecutive_failures().count() >= MAX_CONSECUTIVE_FAILURES);

        let mut probe = TcpStream::connect(address).await?;
        let request = b"GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        probe.write_all(request).await?;
        let mut response = String::new();
        probe.read_to_string(&mut response).await?;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        Ok(())
    }
}
