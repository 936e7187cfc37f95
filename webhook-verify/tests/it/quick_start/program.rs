use std::{env, error::Error, future::Future, pin::pin, time::Duration};

use axum::{Router, http::StatusCode, routing::post, serve::Listener};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{net::TcpListener, select, signal, task::JoinSet, time::timeout};
use webhook_verify::{EventKind, PayloadError, Receiver, Secret, VerifiedEvent, Verifier};

/// The time limit of a connection. Each carries one delivery.
const TIME_LIMIT: Duration = Duration::from_secs(10);

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
        .on_rejection(|rejection, run| eprintln!("webhook rejected: {rejection} ({run})"))
        .on_invalid_payload(|error| eprintln!("webhook payload: {error}"));
    Router::new()
        .route("/hooks", post(receive))
        .with_state(receiver)
}

// `axum::serve` has no time limits. Use it if a proxy in front of the receiver sets them.
async fn serve(mut listener: TcpListener, app: Router, shutdown: impl Future) {
    let mut shutdown = pin!(shutdown);
    let mut connections = JoinSet::new();
    loop {
        select! {
            (stream, _) = Listener::accept(&mut listener) => {
                let service = TowerToHyperService::new(app.clone());
                let mut http = http1::Builder::new();
                let http = http.keep_alive(false);
                let connection = http.serve_connection(TokioIo::new(stream), service);
                connections.spawn(timeout(TIME_LIMIT, connection));
            }
            Some(_) = connections.join_next() => {} // A connection has ended.
            _ = &mut shutdown => break,
        }
    }
    while connections.join_next().await.is_some() {} // Takes at most TIME_LIMIT.
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let app = app(Secret::new(env::var("PROFILE_WEBHOOK_SECRET")?)?);
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    serve(listener, app, signal::ctrl_c()).await; // In a container, wait for SIGTERM instead.
    Ok(())
}
