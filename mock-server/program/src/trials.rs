//! Runs of one command against several mocks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use clap::Args;
use futures_util::stream::{self, StreamExt};
use mock_server::{Dialect, Report, RuleViolations, Signals, World, Worlds, files, printable};
use serde::Serialize;

use crate::failure::{Failure, warn};
use crate::processes;
use crate::run::{self, Mock};
use crate::server::{self, DialectChoice};

/// A mock to run the command against.
pub(crate) struct Case {
    name: String,
    /// The sentence of the specification that a mutant breaks.
    sentence: Option<&'static str>,
    worlds: Worlds,
}

impl Case {
    pub(crate) fn new(
        name: impl Into<String>,
        sentence: Option<&'static str>,
        worlds: Worlds,
    ) -> Self {
        Self {
            name: name.into(),
            sentence,
            worlds,
        }
    }
}

/// Returns the worlds of a mock in this dialect.
pub(crate) fn worlds(dialect: &Dialect) -> Worlds {
    let mut world = World::default();
    world.set_dialect(dialect.clone());
    Worlds::in_memory(world)
}

/// A run of the command against a new mock.
#[derive(Serialize)]
struct Run {
    name: String,
    result: &'static str,
    /// `null` if the run exceeded the time limit.
    exit_code: Option<i32>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<&'static str>,
    violations: Vec<RuleViolations>,
    #[serde(skip)]
    is_expected: bool,
    #[serde(skip)]
    report: Report,
    #[serde(skip)]
    output: String,
}

/// The whole result, as JSON.
#[derive(Serialize)]
struct Results<'a> {
    /// The number of runs by their result.
    counts: &'a BTreeMap<&'static str, usize>,
    runs: &'a [Run],
}

/// Runs the command against each mock, prints the results, and returns the exit code: 1 if a run did
/// not end as expected. Runs with a sentence have to fail, and the others to pass.
pub(crate) async fn run(cases: Vec<Case>, options: TrialOptions) -> Result<i32, Failure> {
    let count = cases.len();
    let mut runs = Vec::<Run>::new();
    let mut sends_requests = false;
    let report = |mut run: Run| {
        let is_idle = run::is_idle(&run.report);
        if run.passed() && is_idle && sends_requests {
            (run.result, run.is_expected) = (NO_REQUESTS, false);
        }
        sends_requests |= !is_idle;
        if !options.json {
            run.print();
        }
        if options.show_output {
            run.print_output(true);
        }
        if run.is_expected {
            run.output.clear();
        }
        runs.push(run);
    };
    if let Some(exit_code) = run_all(cases, &options, report).await? {
        return Ok(exit_code);
    }
    let is_failed = |run: &&Run| !run.is_expected && !run.passed();
    for run in runs.iter().filter(is_failed) {
        if !options.show_output {
            run.print_output(false);
        }
    }
    let printed = conclude(&runs, options.json);
    printed.map_err(Failure::of("print the results"))?;
    if runs.iter().any(|run| run.result == NO_REQUESTS) {
        warn(
            "a run without requests to an endpoint says nothing: the command has probably reused an \
              earlier result; turn that off, as with --rerun (Gradle) or -count=1 (Go)",
        );
    }
    if runs.len() < count {
        let baseline = &runs[0].name;
        warn(&format!("the first run failed: {baseline}; it has to pass"));
    }
    Ok(i32::from(!runs.iter().all(|run| run.is_expected)))
}

/// The result of a run that succeeds without a request to an endpoint, although an earlier one sent some.
const NO_REQUESTS: &str = "no_requests";

impl Run {
    fn passed(&self) -> bool {
        self.exit_code == Some(0)
    }

    fn describe(&self) -> String {
        match self.exit_code {
            None => "timeout".to_owned(),
            Some(0) => "passed".to_owned(),
            Some(code) => format!("failed (exit code {code})"),
        }
    }

    /// Prints the result, with the sentence of a missed mutant or the first violation.
    fn print(&self) {
        let first = self.violations.first();
        let first = first.and_then(|rule| Some((rule.rule, rule.violations.first()?)));
        let note = match self.sentence {
            None => first.map(|(rule, violation)| format!("{rule}: {}", violation.found)),
            Some(_) if self.is_expected => None,
            Some(sentence) => Some(format!("\"{sentence}\"")),
        };
        let result = match self.result {
            "missed" => "MISSED".to_owned(),
            "failed" => self.describe(),
            result => result.to_owned(),
        };
        let line = format!("{:<50}{result:<24}{}", self.name, note.unwrap_or_default());
        // Ignore a closed stdout; the exit code still reports the results.
        let _ = writeln!(io::stdout(), "{}", printable(line.trim_end()));
    }

    /// Prints the output of the command to stderr; without `all`, only its end.
    fn print_output(&self, all: bool) {
        let lines: Vec<_> = self.output.lines().collect();
        let shown = if all { lines.len() } else { LAST_LINES };
        let skipped = lines.len().saturating_sub(shown);
        let mut stderr = io::stderr().lock();
        // Ignore a closed stderr.
        let (name, result) = (&self.name, self.describe());
        let _ = writeln!(stderr, "\n--- output of the command: {name}, {result} ---");
        for line in &lines[skipped..] {
            let _ = writeln!(stderr, "{line}");
        }
    }
}

fn conclude(runs: &[Run], json: bool) -> io::Result<()> {
    let mut counts = BTreeMap::new();
    for run in runs {
        *counts.entry(run.result).or_default() += 1;
    }
    let text = if json {
        let counts = &counts;
        serde_json::to_string_pretty(&Results { counts, runs })?
    } else {
        let counts = counts.iter();
        let counts: Vec<_> = counts
            .map(|(result, count)| format!("{count} {result}"))
            .collect();
        counts.join(", ")
    };
    files::print(&printable(&text))
}

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
    /// Time limit of one run in seconds; after it, the command and the processes that it started are ended
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the output of every run to stderr
    #[arg(long)]
    show_output: bool,
    /// Command to run, with its arguments; it runs in a process group of its own, without stdin
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl TrialOptions {
    /// Returns the dialect of the runs.
    pub(crate) fn dialect(&self) -> Result<Dialect, Failure> {
        let dialect = self.dialect.as_ref().map(server::dialect);
        dialect.transpose().map(Option::unwrap_or_default)
    }
}

/// Runs the command once against the mock of a case.
async fn run_once(case: Case, options: &TrialOptions) -> Result<Run, Failure> {
    let started = Instant::now();
    let mock = Mock::start(case.worlds, "127.0.0.1:0", None)?;
    let limit = Duration::from_secs(options.timeout);
    let command = mock.command(&options.command)?;
    let (exit_code, output) = processes::run_in_group(command, limit).await?;
    let (result, is_expected) = match (exit_code, case.sentence) {
        (Some(0), None) => ("passed", true),
        (Some(_), None) => ("failed", false),
        (Some(0), Some(_)) => ("missed", false),
        (Some(_), Some(_)) => ("caught", true),
        (None, sentence) => ("timeout", sentence.is_some()),
    };
    let report = mock.finish().await.report();
    Ok(Run {
        name: case.name,
        result,
        exit_code,
        seconds: started.elapsed().as_secs_f64(),
        sentence: case.sentence,
        violations: report.rules().cloned().collect(),
        is_expected,
        report,
        output,
    })
}

/// Runs the command once for each case, and passes the results to `report` in the same order. The first run is
/// the baseline: unless it passes, it is the only one. Returns an exit code if a signal ends the runs.
async fn run_all(
    cases: Vec<Case>,
    options: &TrialOptions,
    mut report: impl FnMut(Run),
) -> Result<Option<i32>, Failure> {
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    let mut runs = cases.into_iter().map(|case| run_once(case, options));
    let in_order = async {
        let baseline = runs.next().expect("the baseline is the first case").await?;
        run::warn_unless_called(&baseline.report);
        let passed = baseline.passed();
        report(baseline);
        if passed {
            let mut others = pin!(stream::iter(runs).buffered(options.jobs.into()));
            while let Some(run) = others.next().await {
                report(run?);
            }
        }
        Ok(None)
    };
    // The end of the futures kills the commands that are running.
    tokio::select! {
        ended = in_order => ended,
        signal = signals.next() => Ok(Some((128 + signal).into())),
    }
}
