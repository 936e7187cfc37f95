//! The program: `sync_many LIST`, or a run of its own without arguments.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "what went wrong is for stderr")]

mod trial;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use sync_many::{Outcome, Progress, Record, Summary, Sync, read_accounts};

/// Edits the profiles of many accounts, and goes on where an earlier run ended
#[derive(Parser)]
struct Arguments {
    /// The accounts, as JSON lines; without it, some accounts of a service of its own
    list: Option<PathBuf>,
    /// Where is recorded what was done [default: the list's path with `.record` after it]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// How many accounts are edited at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    concurrency: usize,
    /// Try accounts again that the service refused in an earlier run
    #[arg(long)]
    retry_refused: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match sync(Arguments::parse()).await {
        Ok(summary) if summary.refused + summary.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn sync(arguments: Arguments) -> Result<Summary, Box<dyn Error>> {
    let Some(list) = arguments.list else {
        return trial::sync().await;
    };
    let base_url = env::var("PROFILE_BASE_URL")
        .map_err(|_| "PROFILE_BASE_URL is not set; expected where the service is")?;
    let sync = Sync {
        base_url,
        concurrency: arguments.concurrency,
        retry_refused: arguments.retry_refused,
    };
    let record = arguments.record.unwrap_or_else(|| record_of(&list));
    run(&sync, &list, &record).await
}

fn record_of(list: &Path) -> PathBuf {
    let mut record = list.to_owned().into_os_string();
    record.push(".record");
    record.into()
}

async fn run(sync: &Sync, list: &Path, record: &Path) -> Result<Summary, Box<dyn Error>> {
    let accounts = read_accounts(list)?;
    let record = Record::open(record)?;
    let progress = Progress::on_stderr(accounts.len());
    let tell = |name: &str, outcome: &Outcome, summary: &Summary| {
        if matches!(outcome, Outcome::Refused(_) | Outcome::Failed(_)) {
            progress.end();
            eprintln!("{name}: {outcome}");
        }
        progress.show(summary);
    };
    let summary = sync.run(accounts, record, tell).await?;
    progress.end();
    println!("{summary}");
    Ok(summary)
}
