//! The program: `sync_many LIST`, or a demo without arguments.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]
#![allow(clippy::print_stderr, reason = "errors go to stderr")]

mod demo;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use sync_many::{Outcome, Progress, Record, Summary, Sync, read_accounts};

/// Edit the profiles of many accounts, and resume after a crash
#[derive(Parser)]
struct Arguments {
    /// List of accounts, as JSON lines; without it, run a demo
    list: Option<PathBuf>,
    /// Record of the finished edits [default: the path of the list with `.record` appended]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Number of accounts to edit at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    concurrency: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    match sync(Arguments::parse()).await {
        Ok(summary) if summary.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn sync(arguments: Arguments) -> Result<Summary, Box<dyn Error>> {
    let Some(list) = arguments.list else {
        return demo::run().await;
    };
    let base_url = env::var("PROFILE_BASE_URL")
        .map_err(|_| "PROFILE_BASE_URL is not set; expected the URL of the service")?;
    let sync = Sync::new(&base_url, arguments.concurrency)?;
    let record = arguments.record.unwrap_or_else(|| record_path(&list));
    run(&sync, &list, &record).await
}

fn record_path(list: &Path) -> PathBuf {
    let mut record = list.to_owned().into_os_string();
    record.push(".record");
    record.into()
}

async fn run(sync: &Sync, list: &Path, record: &Path) -> Result<Summary, Box<dyn Error>> {
    let accounts = read_accounts(list)?;
    let record = Record::open(record)?;
    let progress = Progress::on_stderr(accounts.len());
    let report = |name: &str, outcome: &Outcome, summary: &Summary| {
        if let Outcome::Failed(_) = outcome {
            progress.clear();
            eprintln!("{name}: {outcome}");
        }
        progress.show(summary);
    };
    let summary = sync.run(accounts, record, report).await?;
    progress.clear();
    println!("{summary}");
    Ok(summary)
}
