//! `mock-server learn`: learns the dialect of a running service.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mock_server::dialect::DialectFile;
use reqwest::Url;
use tokio::sync::watch;

use crate::learn::{self, Changes, Delivery, Key, Observations, Report, Service};
use crate::settings;
use crate::setup::warn;
use crate::signals::Signals;

/// The service contradicts the specification, or no dialect expresses what it does.
const DIFFERS: u8 = 1;
const USAGE: u8 = 2;
/// The service cannot be reached or refuses the key.
const UNREACHABLE: u8 = 3;

/// Learn the dialect of a running service
///
/// Sends at most 80 requests, one at a time: reads, and two writes that every service has to reject.
/// With --allow-writes, also edits three fields of the profile, and creates and deletes one link and one
/// post. The key comes from --key-file or from PROFILE_API_KEY. The exit code is 1 if the service contradicts
/// the specification or does something that no dialect expresses, and 3 if it cannot be reached or
/// refuses the key.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server learn --base-url https://api.example.com --handle grace --out dialect.json\n  mock-server --dialect dialect.json"
)]
pub(crate) struct LearnOptions {
    /// URL of the service, without /api/v1
    #[arg(long, value_name = "URL", value_parser = learn::base_url)]
    base_url: Url,
    /// File with the API key [default: the environment variable PROFILE_API_KEY]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Handle of a profile that is not the key owner's
    #[arg(long)]
    handle: Option<String>,
    /// Also learn from writes, which are undone afterwards
    #[arg(long)]
    allow_writes: bool,
    /// Do not ask before the writes
    #[arg(long, requires = "allow_writes")]
    yes: bool,
    /// Delivery recorded by `profile webhook listen --record`; repeatable
    #[arg(long, value_name = "FILE")]
    delivery: Vec<PathBuf>,
    /// File with the webhook secret, to verify the deliveries; one trailing line break is ignored
    #[arg(long, value_name = "FILE", requires = "delivery")]
    secret_file: Option<PathBuf>,
    /// Write the learned dialect to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with this file, and exit with 1 if the service has changed
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    check: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Timeout of a request in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: LearnOptions) -> u8 {
    let ended = match learn(&options).await {
        Ok(code) => return code,
        Err(ended) => ended,
    };
    warn(&ended.1);
    ended.0
}

/// The exit code and the reason for ending without a report.
type Ended = (u8, String);

async fn learn(options: &LearnOptions) -> Result<u8, Ended> {
    let usage = |reason| (USAGE, reason);
    let key = key(options).map_err(usage)?;
    let deliveries = deliveries(options).map_err(usage)?;
    let check = options
        .check
        .as_deref()
        .map(file_to_check)
        .transpose()
        .map_err(usage)?;
    let timeout = Duration::from_secs(options.timeout);
    let (interrupt, interrupted) = watch::channel(false);
    let service = Service::new(&options.base_url, key, timeout, interrupted);
    let mut service = service.map_err(usage)?;
    let observations = learn::read(&mut service, options.handle.as_deref()).await;
    let mut observations = observations.map_err(|reason| (UNREACHABLE, reason.0))?;
    let mut is_restored = true;
    if options.allow_writes {
        learn::require_profile(&observations).map_err(|reason| (UNREACHABLE, reason.0))?;
        let changes = Changes::new(&observations, options.base_url.as_str(), Path::new(""));
        confirm(options, &changes.describe(&observations)).map_err(usage)?;
        is_restored = write(&mut service, &mut observations, changes, &interrupt).await?;
    }
    observations.deliveries = deliveries;
    let mut report = Report::new(&observations, service.requests());
    if let Some(file) = check {
        report
            .check(&file)
            .map_err(|error| usage(error.to_string()))?;
    }
    print(&report, options.json);
    if let Some(path) = &options.out {
        let unwritten = |reason| {
            usage(format!(
                "cannot write the dialect file {}: {reason}",
                path.display()
            ))
        };
        let file = report
            .to_file(options.base_url.authority())
            .map_err(unwritten)?;
        let text =
            serde_json::to_string_pretty(&file).map_err(|error| unwritten(error.to_string()))?;
        fs::write(path, text + "\n").map_err(|error| unwritten(error.to_string()))?;
    }
    Ok(if report.fits() && is_restored {
        0
    } else {
        DIFFERS
    })
}

fn deliveries(options: &LearnOptions) -> Result<Vec<Delivery>, String> {
    let secret = options
        .secret_file
        .as_deref()
        .map(settings::secret)
        .transpose();
    let secret = secret.map_err(|error| error.to_string())?;
    let read = |path: &PathBuf| {
        let delivery = Delivery::read(path, secret.as_deref());
        delivery.map_err(|reason| format!("cannot read the delivery {}: {reason}", path.display()))
    };
    options.delivery.iter().map(read).collect()
}

fn file_to_check(path: &Path) -> Result<DialectFile, String> {
    let text = settings::read("dialect", path).map_err(|error| error.to_string())?;
    let path = path.display();
    DialectFile::from_json(&text).map_err(|error| format!("invalid dialect file {path}: {error}"))
}

/// Asks whether to make the changes, unless `--yes` is given.
fn confirm(options: &LearnOptions, changes: &str) -> Result<(), String> {
    warn(changes);
    if options.yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return Err("cannot ask before the writes; confirm them with --yes".to_owned());
    }
    let _ = write!(io::stderr(), "Continue? [y/N] ").and_then(|()| io::stderr().flush());
    let mut reply = String::new();
    let _ = io::stdin().read_line(&mut reply);
    match reply.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err("nothing was changed".to_owned()),
    }
}

/// Sends the writes and undoes them, also after Ctrl-C and SIGTERM. Returns `false` if something is left.
async fn write(
    service: &mut Service,
    observations: &mut Observations,
    mut changes: Changes,
    interrupt: &watch::Sender<bool>,
) -> Result<bool, Ended> {
    let mut signals = Signals::catch().map_err(|error| (USAGE, error.to_string()))?;
    changes.save().map_err(|reason| {
        let path = changes.path().display();
        (
            USAGE,
            format!("cannot write the restore file {path}: {reason}; nothing was changed"),
        )
    })?;
    let mut signal = None;
    {
        let mut writing = std::pin::pin!(learn::write(service, observations, &mut changes));
        loop {
            tokio::select! {
                () = &mut writing => break,
                // The request under way is completed first: it may still be applied.
                number = signals.next(), if signal.is_none() => {
                    warn("interrupted; undoing the changes");
                    signal = Some(number);
                    interrupt.send_replace(true);
                }
            }
        }
    }
    let left = tokio::select! {
        left = learn::clean_up(service, &mut changes) => Some(left),
        _ = signals.next() => None,
    };
    let left = left.unwrap_or_else(|| changes.describe_left(None));
    match left.is_empty() {
        true => drop(changes.remove_file()),
        false => warn(&format!("not undone:\n  {}", left.join("\n  "))),
    }
    match signal {
        Some(number) => Err((128 + number, "interrupted".to_owned())),
        None => Ok(left.is_empty()),
    }
}

fn key(options: &LearnOptions) -> Result<Key, String> {
    let text = match &options.key_file {
        Some(path) => fs::read_to_string(path)
            .map_err(|reason| format!("cannot read the key file {}: {reason}", path.display()))?,
        None => env::var("PROFILE_API_KEY")
            .map_err(|_| "no API key; set PROFILE_API_KEY or use --key-file".to_owned())?,
    };
    Key::new(&text).map_err(str::to_owned)
}

fn print(report: &Report, json: bool) {
    let text = match json {
        true => serde_json::to_string_pretty(report).expect("a report contains only JSON values"),
        false => report.to_string(),
    };
    // Ignore a closed stdout; the exit code still reports the result.
    let _ = writeln!(io::stdout(), "{text}");
}
