//! Runs of one command against several mocks.

mod group;
mod output;
pub(crate) mod report;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mock_server::{Dialect, Verdicts, Worlds};
use tokio::task::JoinSet;

use crate::exit_code;
use crate::failure::Failure;
use crate::mock::Mock;
use crate::server_options::DialectChoice;
use crate::settings;
use crate::signals::Signals;
use crate::summary;

/// Number of lines to print from the end of the output of a failed run.
const LAST_LINES: usize = 40;

/// The options for several runs of a command.
#[derive(Debug, Args)]
pub(crate) struct TrialOptions {
    /// Dialect of the runs: default, minimal, maximal, random:SEED, or a JSON file
    #[arg(long, value_name = "NAME|FILE")]
    dialect: Option<DialectChoice>,
    /// Number of runs at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Time limit of one run in seconds; after it, the process group of the command is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the output of every run to stderr
    #[arg(long)]
    pub(crate) show_output: bool,
    /// Command to run, with its arguments; it runs in a process group of its own, without stdin
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl TrialOptions {
    /// Returns the dialect of the runs.
    pub(crate) fn dialect(&self) -> Result<Dialect, Failure> {
        let dialect = self.dialect.as_ref().map(settings::dialect);
        dialect.transpose().map(Option::unwrap_or_default)
    }
}

/// A run of the command against a new mock.
pub(crate) struct Trial {
    /// `None` if the run exceeded the time limit.
    pub(crate) exit_code: Option<u8>,
    pub(crate) verdicts: Verdicts,
    pub(crate) duration: Duration,
    output: String,
}

impl Trial {
    pub(crate) fn passed(&self) -> bool {
        self.exit_code == Some(0)
    }

    pub(crate) fn describe(&self) -> String {
        match self.exit_code {
            None => "timeout".to_owned(),
            Some(0) => "passed".to_owned(),
            Some(code) => format!("failed (exit code {code})"),
        }
    }

    /// Prints the output of the command to stderr; without `all`, only its end.
    pub(crate) fn print_output(&self, title: &str, all: bool) {
        let lines: Vec<_> = self.output.lines().collect();
        let skipped = match all {
            true => 0,
            false => lines.len().saturating_sub(LAST_LINES),
        };
        let mut stderr = io::stderr().lock();
        // Ignore a closed stderr.
        let _ = writeln!(
            stderr,
            "\n--- output of the command: {title}, {} ---",
            self.describe()
        );
        for line in &lines[skipped..] {
            let _ = writeln!(stderr, "{line}");
        }
    }
}

/// Runs the command once against these worlds.
async fn run(worlds: Worlds, options: Arc<TrialOptions>) -> Result<Trial, Failure> {
    let started = Instant::now();
    let mock = Mock::start(worlds, "127.0.0.1:0", None)?;
    let limit = Duration::from_secs(options.timeout);
    let ended = group::run(&options.command, mock.environment(), limit).await?;
    Ok(Trial {
        exit_code: ended.status.map(exit_code::of),
        verdicts: mock.verdicts(),
        duration: started.elapsed(),
        output: ended.output,
    })
}

/// Runs the command once for each of the worlds, and passes the results to `report` in the same order.
/// The first run is the baseline: unless it passes, it is the only one. Returns an exit code if a
/// signal ends the runs.
pub(crate) async fn run_all(
    worlds: impl Iterator<Item = Worlds>,
    options: TrialOptions,
    report: impl FnMut(usize, Trial),
) -> Result<Option<u8>, Failure> {
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    tokio::select! {
        ended = in_order(worlds, options, report) => ended.map(|()| None),
        signal = signals.next() => Ok(Some(128 + signal)),
    }
}

async fn in_order(
    worlds: impl Iterator<Item = Worlds>,
    options: TrialOptions,
    mut report: impl FnMut(usize, Trial),
) -> Result<(), Failure> {
    let options = Arc::new(options);
    let mut waiting = worlds.enumerate();
    let mut running = JoinSet::new();
    let mut ended = BTreeMap::new();
    let (mut jobs, mut reported) = (1, 0);
    loop {
        while running.len() < jobs
            && let Some((index, worlds)) = waiting.next()
        {
            let options = options.clone();
            running.spawn(async move { (index, run(worlds, options).await) });
        }
        let Some(joined) = running.join_next().await else {
            return Ok(());
        };
        let (index, trial) =
            joined.unwrap_or_else(|panicked| panic::resume_unwind(panicked.into_panic()));
        let trial = trial?;
        let baseline_failed = index == 0 && !trial.passed();
        if index == 0 {
            summary::warn_unless_called(&trial.verdicts.coverage);
        }
        ended.insert(index, trial);
        while let Some(trial) = ended.remove(&reported) {
            report(reported, trial);
            reported += 1;
        }
        if baseline_failed {
            return Ok(());
        }
        jobs = usize::from(options.jobs);
    }
}
