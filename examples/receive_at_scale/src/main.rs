//! The program: a receiver, a worker, a demo or a benchmark. The README lists its environment
//! variables.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "errors go to the log on stderr")]

mod demo;
mod environment;
mod measure;

use std::env;
use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use receive_at_scale::{
    Event, Queue, QueueError, RetryPolicy, metrics_routes, routes, serve, work,
};
use tokio::net::TcpListener;
use tracing::{info, warn};
use webhook_verify::Receiver;

/// The name of the worker.
const WORKER: &str = "printer";

/// The delay before another attempt to connect at the start.
const OPEN_DELAY: Duration = Duration::from_secs(2);

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
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        None => demo::run().await,
        Some("receive") => receive().await,
        Some("work") => work_events().await,
        Some("dead") => dead_letters(&arguments).await,
        Some("--measure") => measure::run().await,
        Some(other) => Err(format!(
            "unknown argument {other:?}; expected `receive`, `work`, `dead`, `--measure` or no argument"
        )
        .into()),
    }
}

async fn receive() -> Result<(), Box<dyn Error>> {
    start_log()?;
    let receiver = Receiver::new(environment::verifier()?);
    let key = environment::event_key()?;
    let listener = listen("LISTEN", &environment::text("LISTEN", "127.0.0.1:8080")).await?;
    let queue = open_queue().await?;
    serve_metrics(&queue).await?;
    let app = routes(receiver, queue, key);

    let shutdown = shutdown_signal()?;
    println!("http://{}/hooks", listener.local_addr()?);
    serve(listener, app, shutdown).await;
    Ok(())
}

async fn work_events() -> Result<(), Box<dyn Error>> {
    start_log()?;
    let queue = open_queue().await?;
    serve_metrics(&queue).await?;
    let print = |event: Event| async move {
        let text = String::from_utf8_lossy(&event.body);
        println!("{} {text}", event.sequence);
        Ok(())
    };
    let retry = RetryPolicy::default();
    work(&queue, WORKER, retry, print, shutdown_signal()?).await?;
    Ok(())
}

/// Logs to stderr, one JSON object per line.
fn start_log() -> Result<(), String> {
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_max_level(environment::log_level()?)
        .with_writer(io::stderr)
        .init();
    Ok(())
}

async fn listen(variable: &str, address: &str) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| format!("could not listen on {address:?} ({variable}): {error}"))
}

/// Serves metrics in the background, if their address is set.
async fn serve_metrics(queue: &Queue) -> Result<(), Box<dyn Error>> {
    let Ok(address) = env::var("METRICS_LISTEN") else {
        return Ok(());
    };
    let listener = listen("METRICS_LISTEN", &address).await?;
    info!(address = %listener.local_addr()?, "serving metrics");
    let app = metrics_routes(queue.clone());
    tokio::spawn(serve(listener, app, std::future::pending()));
    Ok(())
}

/// Prints the dead letters, or replays those with the given numbers.
async fn dead_letters(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut replayed = match arguments {
        [_] => None,
        [_, replay, numbers @ ..] if replay == "replay" => Some(dead_letter_numbers(numbers)?),
        _ => return Err("unknown argument; expected `dead` or `dead replay [NUMBER…]`".into()),
    };
    let queue = Queue::open_with(environment::queue_settings()?).await?;
    let mut next = 1;
    let replays_all = replayed.as_ref().is_some_and(Vec::is_empty);
    while let Some(letter) = queue.dead_letter(WORKER, next).await? {
        next = letter.number + 1;
        match &mut replayed {
            None => println!(
                "{}\tevent {}\t{}",
                letter.number, letter.sequence, letter.reason
            ),
            Some(numbers) if replays_all || numbers.contains(&letter.number) => {
                queue.replay(&letter).await?;
                numbers.retain(|number| *number != letter.number);
                println!("replayed {}", letter.number);
            }
            Some(_) => {}
        }
    }
    match replayed.unwrap_or_default().as_slice() {
        [] => Ok(()),
        missing => Err(format!("no dead letters {missing:?}; `dead` lists their numbers").into()),
    }
}

fn dead_letter_numbers(arguments: &[String]) -> Result<Vec<u64>, String> {
    let numbers = arguments.iter().map(|text| {
        let number: Result<u64, _> = text.parse();
        number.map_err(|error| format!("{text:?}: {error}; expected the number of a dead letter"))
    });
    numbers.collect()
}

/// Connects to the broker, and tries again while it is absent.
async fn open_queue() -> Result<Queue, Box<dyn Error>> {
    let settings = environment::queue_settings()?;
    loop {
        match Queue::open_with(settings.clone()).await {
            Err(error @ QueueError::Broker { .. }) => warn!(%error, "trying again"),
            opened => return Ok(opened?),
        }
        tokio::time::sleep(OPEN_DELAY).await;
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
