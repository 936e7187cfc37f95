//! The program: a receiver, a worker, a demo or a benchmark. The README lists its environment
//! variables.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "errors go to the log on stderr")]

mod demo;
mod measure;

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use receive_at_scale::{
    Event, EventKey, Queue, QueueError, QueueSettings, RetryPolicy, by_digest, by_json_field, none,
    routes, serve, work,
};
use tokio::net::TcpListener;
use webhook_verify::{Receiver, Secret, Verifier};

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
    let receiver = Receiver::new(verifier()?)
        .on_rejection(|rejection, run| eprintln!("rejected: {rejection} ({run})"));
    let key = event_key(&setting("EVENT_KEY", "none"))?;
    let address = setting("LISTEN", "127.0.0.1:8080");
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("could not listen on {address:?} (LISTEN): {error}"))?;
    let queue = open_queue().await?;
    let app = routes(receiver, queue, key, |error| {
        eprintln!("responded with 503: {error}")
    });

    let shutdown = shutdown_signal()?;
    println!("http://{}/hooks", listener.local_addr()?);
    serve(listener, app, shutdown).await;
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
    let queue = open_queue().await?;
    let print = |event: Event| async move {
        let text = String::from_utf8_lossy(&event.body);
        println!("{} {text}", event.sequence);
        Ok(())
    };
    work(
        &queue,
        WORKER,
        RetryPolicy::default(),
        print,
        shutdown_signal()?,
    )
    .await?;
    Ok(())
}

/// Prints the dead letters, or replays those with the given numbers.
async fn dead_letters(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut replayed = match arguments {
        [_] => None,
        [_, replay, numbers @ ..] if replay == "replay" => Some(dead_letter_numbers(numbers)?),
        _ => return Err("unknown argument; expected `dead` or `dead replay [NUMBER…]`".into()),
    };
    let (queue, mut next) = (open_queue().await?, 1);
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
    let mut settings = QueueSettings::new(setting("NATS_URL", "nats://127.0.0.1:4222"));
    settings.credentials = env::var_os("NATS_CREDENTIALS").map(Into::into);
    settings.root_certificate = env::var_os("NATS_ROOT_CERTIFICATE").map(Into::into);
    settings.replicas = number("STREAM_REPLICAS", settings.replicas)?;
    settings.max_bytes = number("STREAM_MAX_BYTES", settings.max_bytes)?;
    let max_age = number("STREAM_MAX_AGE", settings.max_age.as_secs())?;
    settings.max_age = Duration::from_secs(max_age);
    settings.discard_old = match setting("STREAM_DISCARD", "new").as_str() {
        "new" => false,
        "old" => true,
        other => {
            return Err(
                format!("invalid STREAM_DISCARD {other:?}; expected `new` or `old`").into(),
            );
        }
    };
    loop {
        match Queue::open_with(settings.clone()).await {
            Err(error @ QueueError::Broker { .. }) => eprintln!("{error}; trying again"),
            opened => return Ok(opened?),
        }
        tokio::time::sleep(OPEN_DELAY).await;
    }
}

fn number<T: FromStr<Err: Display>>(name: &str, default: T) -> Result<T, String> {
    match env::var(name) {
        Ok(text) => text
            .parse()
            .map_err(|error| format!("invalid {name} {text:?}: {error}; expected a number")),
        Err(_) => Ok(default),
    }
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
