//! The program `mock-server-learn`: learns how a running service behaves where the
//! specification is silent.
//!
//! The data flows in one direction. The requests of one table are sent to the service, and the responses
//! are collected. Then the same requests go to a mock with the observed profile: for each question, the
//! value of the setting is the one with which the mock answers as the service did. What remains different
//! is a finding.
//!
//! In reading order:
//!
//! - `response`: one response, without the API key
//! - `requests`: the table of the requests
//! - `service`: the client that sends one request at a time
//! - `observations`: the collected responses
//! - `writes`: the writes of `--allow-writes`
//! - `views`: the parts of responses to compare
//! - `learner`: the mock that answers the same requests, and the search for the values of the settings
//! - `rejections`: the settings that show how requests are rejected
//! - `questions`: the table of the questions, and the settings that consist of observed values
//! - `contradictions`: contradictions to the specification, and what the mock does otherwise
//! - `report`: the result for people, for programs and for the mock

mod contradictions;
mod learner;
mod observations;
mod questions;
mod rejections;
mod report;
mod requests;
mod response;
mod service;
mod views;
mod writes;

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use mock_server::dialect::DialectFile;
use mock_server::{SafeUrl, Signals, files, printable};
use reqwest::Url;
use tokio::sync::watch;

use observations::{Changes, Delivery, Observations};
use report::Report;
use requests::Step;
use response::Key;
use service::Service;
use writes::{Created, Writes};

/// The service contradicts the specification, the mock cannot do what it does, or the profile has changed.
const DIFFERS: u8 = 1;
const USAGE: u8 = 2;
/// The service cannot be reached or rejects the key.
const UNREACHABLE: u8 = 3;

/// Learn the dialect of a running service
///
/// Sends at most 80 requests, one at a time: reads, and two writes that every service has to reject.
/// With --allow-writes, also changes and restores the last digit of a color in the profile, and creates and
/// deletes one link and one post. The key comes from --key-file or from PROFILE_API_KEY.
///
/// The exit code is 1 if the service contradicts the specification, does something that the mock cannot do,
/// or changed the profile, and 3 if it cannot be reached, rejects the key, or has no profile with the handle.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  mock-server-learn --base-url https://api.example.com --handle grace --out dialect.json\n  mock-server --dialect dialect.json"
)]
struct Options {
    /// URL of the service, without /api/v1
    #[arg(long, value_name = "URL", value_parser = response::base_url)]
    base_url: Url,
    /// File with the API key [default: the environment variable PROFILE_API_KEY]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Handle of another profile
    #[arg(long, value_parser = requests::handle)]
    handle: Option<String>,
    /// Also learn from writes that are undone: a color, and a link and a post that are deleted
    #[arg(long)]
    allow_writes: bool,
    /// Do not ask for confirmation
    #[arg(long, requires = "allow_writes")]
    yes: bool,
    /// Delivery recorded by `profile webhook listen --record`; repeatable
    #[arg(long, value_name = "FILE")]
    delivery: Vec<PathBuf>,
    /// File with the webhook secret, to verify the deliveries; one trailing line break and a byte order mark
    /// are ignored
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // A core file or a debugger would have the key.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    Signals::end_process_1();
    let options = Options::try_parse().unwrap_or_else(|mut error| {
        for kind in [ContextKind::InvalidValue, ContextKind::InvalidArg] {
            if let Some(ContextValue::String(text)) = error.get(kind) {
                let shown = ContextValue::String(printable(&SafeUrl(text).to_string()));
                error.insert(kind, shown);
            }
        }
        error.exit()
    });
    let code = learn(&options).await;
    let code = code.unwrap_or_else(|(code, reason)| {
        warn(&reason);
        code
    });
    code.into()
}

/// The exit code and the reason for ending without a report.
type Ended = (u8, String);

fn usage(reason: impl ToString) -> Ended {
    (USAGE, reason.to_string())
}

/// Returns a function that adds the path and the reason to an error.
fn failed<E: Display>(what: &str, path: &Path) -> impl FnOnce(E) -> Ended {
    move |reason| usage(format!("{what} {}: {reason}", path.display()))
}

async fn learn(options: &Options) -> Result<u8, Ended> {
    let key = key(options)?;
    let deliveries = deliveries(options)?;
    let check = options.check.as_deref().map(file_to_check).transpose()?;
    let timeout = Duration::from_secs(options.timeout);
    let (interrupt, interrupted) = watch::channel(false);
    let service = Service::new(&options.base_url, key, timeout, interrupted);
    let mut service = service.map_err(usage)?;
    let observations = observations::read(&mut service, options.handle.as_deref()).await;
    let mut observations = observations.map_err(|reason| (UNREACHABLE, reason))?;
    let afterwards = observations.answer(Step::MeAfterwards);
    let changes = afterwards.and_then(|me| Changes::new(&observations, me));
    let is_unchanged = match (options.allow_writes, changes) {
        (true, Err(reason)) => return Err((UNREACHABLE, format!("{reason}; nothing was written"))),
        (true, Ok(_)) => write(options, &mut service, &mut observations, &interrupt).await?,
        (false, Ok(changes)) => report_changes(Ok(changes)),
        (false, Err(_)) => true,
    };
    observations.deliveries = deliveries;
    if let Some(answer) = service.rate_limited {
        observations.answers.insert(Step::RateLimited, Ok(answer));
    }
    let mut report = Report::new(&observations, service.sent);
    if let Some(file) = check {
        report.check(&file).map_err(usage)?;
    }
    let text = match options.json {
        true => serde_json::to_string_pretty(&report).map_err(usage)?,
        false => report.to_string(),
    };
    let printed = files::print(&printable(&text));
    if let Some(path) = &options.out {
        let text = report.to_file(options.base_url.authority());
        let text = text.map_err(usage)?;
        // A signal leaves no temporary file; it may end the program while the program waits for a pipe.
        let is_file = path.metadata().map_or(true, |found| found.is_file());
        let _caught = is_file.then(Signals::catch).transpose().map_err(usage)?;
        let failed = failed("cannot write the dialect file", path);
        files::write(path, text.as_bytes()).map_err(failed)?;
    }
    printed.map_err(|error| usage(format!("cannot print the report: {error}")))?;
    let fits = report.fits() && is_unchanged;
    Ok(if fits { 0 } else { DIFFERS })
}

fn key(options: &Options) -> Result<Key, Ended> {
    const VARIABLE: &str = "PROFILE_API_KEY";
    let text = match &options.key_file {
        Some(path) => read("key", path)?,
        None => {
            let none = || usage("no API key; set PROFILE_API_KEY or use --key-file");
            let text = env::var_os(VARIABLE).ok_or_else(none)?.into_encoded_bytes();
            let failed = failed("cannot read", Path::new(VARIABLE));
            files::to_text(text, VARIABLE, warn).map_err(failed)?
        }
    };
    Key::new(&text).map_err(usage)
}

fn deliveries(options: &Options) -> Result<Vec<Delivery>, Ended> {
    let secret = options.secret_file.as_deref().map(|path| {
        let secret = files::read_secret(path, warn);
        secret.map_err(failed("cannot read the webhook secret file", path))
    });
    let secret = secret.transpose()?;
    let read = |path: &PathBuf| {
        let delivery = Delivery::read(path, secret.as_deref());
        delivery.map_err(failed("cannot read the delivery", path))
    };
    options.delivery.iter().map(read).collect()
}

fn file_to_check(path: &Path) -> Result<DialectFile, Ended> {
    let text = read("dialect", path)?;
    DialectFile::from_json(&text).map_err(failed("invalid dialect file", path))
}

fn read(what: &str, path: &Path) -> Result<String, Ended> {
    let text = files::read_text(path, warn);
    text.map_err(failed(&format!("cannot read the {what} file"), path))
}

/// Asks whether to make the changes, unless `--yes` is given.
fn confirm(options: &Options, changes: &str) -> Result<(), Ended> {
    warn(changes);
    if options.yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        let reason = "cannot ask for confirmation without a terminal; use --yes";
        return Err(usage(reason));
    }
    let _ = write!(io::stderr(), "Continue? [y/N] ").and_then(|()| io::stderr().flush());
    let mut reply = String::new();
    let _ = io::stdin().read_line(&mut reply);
    match reply.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(usage("nothing was changed")),
    }
}

/// Sends the writes and deletes what they created, also after a signal. Returns `false` if
/// something is left or has changed.
async fn write(
    options: &Options,
    service: &mut Service,
    observations: &mut Observations,
    interrupt: &watch::Sender<bool>,
) -> Result<bool, Ended> {
    let base_url = options.base_url.as_str().trim_end_matches('/');
    if let Err(reason) = observations.require_exact() {
        warn(&reason);
    } else {
        confirm(options, &writes::describe(observations, base_url))?;
    }
    let mut signals = Signals::catch().map_err(usage)?;
    let mut writes = Writes {
        service,
        observations,
        created: Created::default(),
    };
    let work = async {
        let stopped = writes.send_all().await;
        (writes.clean_up().await, stopped)
    };
    let mut signal = None;
    let second_signal = async {
        signal = Some(signals.next().await);
        // The request under way is completed first: it may still be applied.
        warn("interrupted; deleting what was created");
        interrupt.send_replace(true);
        signals.next_after(signal).await
    };
    let ended = tokio::select! {
        ended = work => Some(ended),
        _ = second_signal => None,
    };
    let left = writes.created.left(writes.observations);
    left.iter().for_each(|line| warn(line));
    let (changes, stopped) = ended.unzip();
    let is_same = report_changes(changes.unwrap_or_else(|| Err("interrupted".to_owned())));
    match (signal, stopped.flatten()) {
        (Some(number), _) => Err((128 + number, "interrupted".to_owned())),
        (None, Some(reason)) => Err((UNREACHABLE, reason)),
        (None, None) => Ok(left.is_empty() && is_same),
    }
}

/// Prints the differences of the profile, and returns `true` if the content is the same.
fn report_changes(changes: Result<Changes, String>) -> bool {
    match changes {
        Ok(Changes { content, others }) => {
            for (line, _) in content.values() {
                warn(&format!("the profile has changed: {line}"));
            }
            let print = |line: &String| warn(&format!("different after the run: {line}"));
            others.iter().for_each(print);
            content.is_empty()
        }
        Err(reason) => {
            warn(&format!(
                "cannot compare the profile before and after: {reason}"
            ));
            false
        }
    }
}

/// Prints a warning to stderr.
fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "mock-server-learn: {}", printable(message));
}
