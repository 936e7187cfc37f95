//! `mock-server learn`: learns the dialect of a running service.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use reqwest::Url;

use crate::learn::{self, Key, LearnedFile, Report, Service};
use crate::setup::warn;

/// The service contradicts the specification, or no dialect expresses what it does.
const DIFFERS: u8 = 1;
const USAGE: u8 = 2;
/// The service cannot be reached or refuses the key.
const UNREACHABLE: u8 = 3;

/// Learn the dialect of a running service
///
/// Sends at most 80 requests, one at a time: reads, and two writes that every service has to reject.
/// The key comes from --key-file or from PROFILE_API_KEY. The exit code is 1 if the service contradicts
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
    /// Write the learned dialect to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let timeout = Duration::from_secs(options.timeout);
    let mut service = Service::new(&options.base_url, key, timeout).map_err(usage)?;
    let observations = learn::read(&mut service, options.handle.as_deref()).await;
    let observations = observations.map_err(|reason| (UNREACHABLE, reason.0))?;
    let report = Report::new(&observations, service.requests());
    if let Some(path) = &options.out {
        let unwritten = |reason: io::Error| {
            usage(format!(
                "cannot write the dialect file {}: {reason}",
                path.display()
            ))
        };
        let host = options.base_url.authority();
        let file = LearnedFile::new(&report, host).map_err(|error| unwritten(error.into()))?;
        let text = serde_json::to_string_pretty(&file).map_err(|error| unwritten(error.into()))?;
        fs::write(path, text + "\n").map_err(unwritten)?;
    }
    print(&report, options.json);
    Ok(if report.fits() { 0 } else { DIFFERS })
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
