//! The program: a receiver, a worker, or dead letters. Its help lists the settings.

use std::env::{self, VarError};
use std::error::Error;
#[cfg(unix)]
use std::fs;
use std::future::{pending, ready};
use std::io::{self, Write};
use std::pin::pin;
use std::process::{self, ExitCode};
use std::time::Duration;

use clap::{Parser, Subcommand};
use futures_util::stream::{self, Stream, StreamExt};
use receive_at_scale::{
    Event, EventKey, HandlerError, Queue, QueueError, QueueSettings, RetryPolicy, is_set,
    metrics_routes, parse, routes, serve, shown, work,
};
#[cfg(target_os = "linux")]
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;
use tracing::{Level, info, warn};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use webhook_verify::{Receiver, Secret, Verifier};

/// The name of the worker.
const WORKER: &str = "printer";

/// The delay before another attempt to create the streams.
const OPEN_DELAY: Duration = Duration::from_secs(2);

/// Receives webhooks, with a NATS JetStream stream between receivers and workers.
///
/// The webhook secret is in the environment variable PROFILE_WEBHOOK_SECRET; during a rotation, the
/// previous one is in PROFILE_WEBHOOK_SECRET_BEFORE.
#[derive(Parser)]
struct Program {
    #[command(flatten)]
    queue: QueueSettings,
    /// Address on which a receiver or worker serves GET /metrics [default: none]
    #[arg(long, env, value_name = "ADDRESS")]
    metrics_listen: Option<String>,
    // The libraries may log bodies at the levels below.
    /// Lowest level in the log
    #[arg(long, env, default_value = "info", value_parser = ["error", "warn", "info"], value_name = "LEVEL")]
    log_level: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Verify deliveries and store them
    Receive {
        /// Address that serves POST /hooks, GET /health and GET /ready
        #[arg(long, env, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
        listen: String,
        /// Identifies duplicate events: `none`, `digest`, or a JSON pointer such as `/data/id`
        #[arg(long, env, default_value = "none", value_name = "KEY")]
        event_key: EventKey,
    },
    /// Print the stored events; stands for your own worker
    Work,
    /// List events that could not be handled (dead letters)
    Dead {
        /// Handle them again
        #[arg(long)]
        replay: bool,
    },
}

fn main() -> ExitCode {
    // A core file would have the secret.
    #[cfg(target_os = "linux")]
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let program = parse(env::args_os()).unwrap_or_else(|error: clap::Error| error.exit());
    let runtime = Runtime::new().expect("the system has threads");
    let ended = runtime.block_on(run(program));
    // Without waiting for handlers that are blocked.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(program: Program) -> Result<(), Box<dyn Error>> {
    start_log(program.log_level.parse()?);
    match &program.command {
        Command::Receive { listen, event_key } => {
            let receiver = Receiver::new(verifier()?);
            let signals = signals();
            let listener = bind("LISTEN", listen).await?;
            let queue = start(&program).await?;
            writeln!(io::stdout(), "http://{}/hooks", listener.local_addr()?)?;
            let app = routes(receiver, queue, event_key.clone());
            let mut opened = Ok(());
            let stop = async {
                tokio::select! {
                    biased;
                    () = shutdown_signal(signals) => {}
                    Err(error) = open(&program.queue) => opened = Err(error),
                }
            };
            serve(listener, app, stop).await;
            opened?;
        }
        Command::Work => {
            let mut stop = pin!(shutdown_signal(signals()));
            let queue = start(&program).await?;
            tokio::select! {
                biased;
                () = &mut stop => return Ok(()),
                opened = open(&program.queue) => opened?,
            }
            work(&queue, WORKER, RetryPolicy::default(), print, stop).await;
        }
        Command::Dead { replay } => {
            end_as_process_1();
            dead_letters(Queue::connect(&program.queue).await?, *replay).await?
        }
    }
    Ok(())
}

/// Handles an event, on a thread that may be blocked: stdout may be a pipe that nobody reads.
async fn print(event: Event) -> Result<(), HandlerError> {
    let print = move || {
        let text = String::from_utf8_lossy(&event.body);
        writeln!(io::stdout(), "{} {text}", event.sequence)
    };
    Ok(spawn_blocking(print).await??)
}

/// Creates a verifier for the secret, and for the previous one during a rotation.
fn verifier() -> Result<Verifier, Box<dyn Error>> {
    let secret = |name: &str| {
        let text = env::var(name).map_err(|error| match error {
            VarError::NotPresent => format!("{name}: {error}"),
            // The error contains the secret.
            VarError::NotUnicode(_) => format!("{name}: not valid UTF-8"),
        })?;
        let unmarked = text.strip_prefix('\u{feff}').inspect(|_| {
            let note = "starts with a byte order mark, which is not used";
            let _ = writeln!(io::stderr(), "{name} {note}");
        });
        Secret::new(unmarked.unwrap_or(&text)).map_err(|error| format!("{name}: {error}"))
    };
    let verifier = Verifier::new(secret("PROFILE_WEBHOOK_SECRET")?);
    match is_set("PROFILE_WEBHOOK_SECRET_BEFORE") {
        true => Ok(verifier.also_accept(secret("PROFILE_WEBHOOK_SECRET_BEFORE")?)),
        false => Ok(verifier),
    }
}

/// Listens on the address in this variable.
async fn bind(variable: &str, address: &str) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(address).await;
    let address = shown(address);
    listener.map_err(|error| format!("{variable}: could not listen on {address:?}: {error}"))
}

/// Starts the log: to stderr, one JSON object per line.
fn start_log(level: Level) {
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(io::stderr);
    // The client of the broker logs every attempt to connect.
    let levels = Targets::new()
        .with_default(level)
        .with_target("async_nats", LevelFilter::OFF);
    let log = tracing_subscriber::registry().with(lines).with(levels);
    log.init();
}

/// Connects to the broker in the background, and serves metrics.
async fn start(program: &Program) -> Result<Queue, Box<dyn Error>> {
    let queue = Queue::connect_in_background(&program.queue).await?;
    if let Some(address) = &program.metrics_listen {
        let listener = bind("METRICS_LISTEN", address).await?;
        info!(address = %listener.local_addr()?, "serving metrics");
        tokio::spawn(serve(listener, metrics_routes(queue.clone()), pending()));
    }
    Ok(queue)
}

/// Creates the streams, or updates their settings. Tries again until the broker does so, or refuses
/// the settings, and logs each reason once.
async fn open(settings: &QueueSettings) -> Result<(), QueueError> {
    let mut logged = String::new();
    while let Err(error) = Queue::open(settings.clone()).await {
        if error.is_refusal() {
            return Err(error);
        }
        let reason = error.to_string();
        if reason != logged {
            warn!(error = reason, "trying again");
            logged = reason;
        }
        tokio::time::sleep(OPEN_DELAY).await;
    }
    Ok(())
}

/// Prints the dead letters, or replays them.
async fn dead_letters(queue: Queue, replay: bool) -> Result<(), Box<dyn Error>> {
    let mut stdout = io::stdout();
    let mut next = 1;
    while let Some(letter) = queue.dead_letter(WORKER, next).await? {
        let number = letter.number;
        if replay {
            queue.replay(&letter).await?;
            writeln!(stdout, "replayed {number}")?;
        } else {
            let (sequence, reason) = (letter.sequence, &letter.reason);
            writeln!(stdout, "{number}\tevent {sequence}\t{reason}")?;
        }
        next = number + 1;
    }
    Ok(())
}

/// The numbers of SIGHUP and SIGINT.
const HANGUP: i32 = 1;
const INTERRUPT: i32 = 2;

/// Waits for a signal, for a graceful shutdown; another one ends the program at once. SIGHUP after SIGHUP is not
/// another one: for a closed terminal, both the shell and the system send it.
async fn shutdown_signal(signals: impl Stream<Item = i32> + Send + Unpin + 'static) {
    // The same streams for both: a signal between two registrations would be lost.
    let mut signals = signals.chain(stream::pending());
    let first = signals.next().await;
    let mut others =
        signals.filter(move |&number| ready((first, number) != (Some(HANGUP), HANGUP)));
    tokio::spawn(async move {
        others.next().await;
        process::exit(0);
    });
}

/// Catches Ctrl-C, SIGTERM and SIGHUP.
#[cfg(unix)]
fn signals() -> impl Stream<Item = i32> + Send + Unpin {
    use tokio::signal::unix::{SignalKind, signal};
    stream::select_all(not_ignored().map(|number| {
        let received = signal(SignalKind::from_raw(number));
        let mut received = received.expect("the runtime handles signals");
        let received = stream::poll_fn(move |context| received.poll_recv(context));
        received.map(move |()| number)
    }))
}

/// Makes the signals end this process at once if it is process 1, as in a container: the kernel ignores those
/// without a handler.
fn end_as_process_1() {
    if process::id() == 1 {
        let mut signals = signals();
        tokio::spawn(async move {
            if let Some(number) = signals.next().await {
                process::exit(128 + number);
            }
        });
    }
}

/// Returns the numbers of SIGHUP, SIGINT and SIGTERM. A signal that was ignored at the start, as by `nohup`, stays
/// ignored; only Linux shows which.
#[cfg(unix)]
fn not_ignored() -> impl Iterator<Item = i32> {
    const TERMINATE: i32 = 15;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let ignored = ignored.unwrap_or_default();
    [HANGUP, INTERRUPT, TERMINATE]
        .into_iter()
        .filter(move |number| ignored >> (number - 1) & 1 == 0)
}

/// Catches Ctrl-C.
#[cfg(not(unix))]
fn signals() -> impl Stream<Item = i32> + Send + Unpin {
    Box::pin(stream::unfold((), async |()| {
        tokio::signal::ctrl_c().await.ok().map(|()| (INTERRUPT, ()))
    }))
}
