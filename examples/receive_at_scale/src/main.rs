//! The program: a receiver, a worker, a demo or a benchmark. The README lists its environment
//! variables.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "errors go to the log on stderr")]

mod demo;
mod measure;

use std::env;
use std::error::Error;
use std::io;
use std::process::ExitCode;

use receive_at_scale::{Event, EventKey, Queue, by_digest, by_json_field, none, routes, work};
use tokio::net::TcpListener;
use webhook_verify::{Receiver, Secret, Verifier};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1).as_deref() {
        None => demo::run().await,
        Some("receive") => receive().await,
        Some("work") => work_events().await,
        Some("--measure") => measure::run().await,
        Some(other) => Err(format!(
            "unknown argument {other:?}; expected `receive`, `work`, `--measure` or no argument"
        )
        .into()),
    }
}

async fn receive() -> Result<(), Box<dyn Error>> {
    let receiver = Receiver::new(verifier()?)
        .on_rejection(|rejection, run| eprintln!("rejected: {rejection} ({run})"));
    let key = event_key(&setting("EVENT_KEY", "none"))?;
    let address = setting("LISTEN", "127.0.0.1:8080");
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("could not listen on {address:?} (LISTEN): {error}"))?;
    let queue = Queue::open(&setting("NATS_URL", "nats://127.0.0.1:4222")).await?;
    let app = routes(receiver, queue, key, |error| {
        eprintln!("responded with 503: {error}")
    });

    let shutdown = shutdown_signal()?;
    println!("http://{}/hooks", listener.local_addr()?);
    axum::serve(listener, app)
        .with_graceful_shutdown(shutdown)
        .await?;
    Ok(())
}

/// Creates a verifier for the secret, and for the previous one during a rotation.
fn verifier() -> Result<Verifier, Box<dyn Error>> {
    let secret = env::var("PROFILE_WEBHOOK_SECRET")
        .map_err(|_| "PROFILE_WEBHOOK_SECRET is not set; expected the webhook secret")?;
    let verifier = Verifier::new(Secret::new(secret)?);
    Ok(match env::var("PROFILE_WEBHOOK_SECRET_BEFORE") {
        Ok(before) => verifier.also_accept(Secret::new(before)?),
        Err(_) => verifier,
    })
}

async fn work_events() -> Result<(), Box<dyn Error>> {
    let queue = Queue::open(&setting("NATS_URL", "nats://127.0.0.1:4222")).await?;
    let print = |event: Event| async move {
        let text = String::from_utf8_lossy(&event.body);
        println!("{} {text}", event.sequence);
        Ok(())
    };
    work(&queue, "printer", print, shutdown_signal()?).await?;
    Ok(())
}

fn setting(name: &str, default: &str) -> String {
    env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn event_key(value: &str) -> Result<EventKey, String> {
    match value {
        "none" => Ok(none()),
        "digest" => Ok(by_digest()),
        pointer if pointer.starts_with('/') => Ok(by_json_field(pointer)),
        other => Err(format!(
            "invalid EVENT_KEY {other:?}; expected `none`, `digest` or a JSON pointer such as `/data/id`"
        )),
    }
}

/// Waits for Ctrl-C or SIGTERM, for a graceful shutdown.
#[cfg(unix)]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(windows)]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupted = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupted.recv().await;
    })
}
