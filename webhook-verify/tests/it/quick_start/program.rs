use std::{env, error::Error, time::Duration};

use axum::{Router, http::StatusCode, routing::post};
use tokio::{net::TcpListener, signal};
use webhook_verify::{EventKind, PayloadError, Receiver, Secret, VerifiedEvent, Verifier};

#[derive(serde::Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: EventKind,
}

// Runs only for verified deliveries. Others get an empty 401, or 413 over 1 MiB.
async fn receive(event: VerifiedEvent<Payload>) -> Result<StatusCode, PayloadError> {
    let payload = event.into_payload()?; // `?` responds with 204 if the payload is invalid.
    println!("{}", payload.kind); // Put it into a queue; the service waits for the response.
    Ok(StatusCode::NO_CONTENT)
}

fn app(secret: Secret) -> Router {
    let receiver = Receiver::new(Verifier::new(secret))
        .time_limit(Duration::from_secs(10)) // To read a body. Slower senders get 408.
        .on_rejection(|rejection, consecutive| eprintln!("webhook rejected: {rejection} ({consecutive})"))
        .on_invalid_payload(|error| eprintln!("webhook payload: {error}"));
    Router::new()
        .route("/hooks", post(receive))
        .with_state(receiver)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = env::var("PROFILE_WEBHOOK_SECRET").map_err(|_| "PROFILE_WEBHOOK_SECRET is not set")?;
    let app = app(Secret::new(secret)?);
    let stopped = stopped()?;
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    Ok(axum::serve(listener, app).with_graceful_shutdown(stopped).await?)
}

// Catches SIGTERM, as from a container, and waits for it or for Ctrl-C. Then the requests in progress are answered.
fn stopped() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminated = signal::unix::signal(signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminated.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = signal::ctrl_c() => {}
            _ = terminated => {}
        }
    })
}
