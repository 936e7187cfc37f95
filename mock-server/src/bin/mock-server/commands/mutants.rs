//! `mock-server mutants`: runs a command against services that break the specification.

use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use mock_server::{Dialect, Mutant, World, Worlds};
use serde::Serialize;

use crate::failure::Failure;
use crate::setup::warn;
use crate::trial::{Outcome, Trial, TrialOptions, print_json, run_all};

/// Run a command against mocks that each break one sentence of the specification
///
/// The first run is against the unchanged mock and has to pass. A mutant is caught if the command
/// fails or exceeds the time limit, and missed if it passes. The command gets the same environment as
/// with `run`. The exit code is 1 if a mutant was missed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server mutants --jobs 4 -- pytest -q\n  mock-server mutants --only me_without_email --show-output -- pytest\n  mock-server mutants --skip no_signature,webhook_never_off -- npm test"
)]
pub(crate) struct MutantsOptions {
    /// Test only this mutant; repeatable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Do not test this mutant; repeatable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skip: Vec<String>,
    #[command(flatten)]
    trials: TrialOptions,
}

/// The result for one mutant.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    section: &'static str,
    sentence: &'static str,
    result: &'static str,
    seconds: f64,
}

/// The whole result, as JSON.
#[derive(Serialize)]
struct Results<'a> {
    caught: usize,
    missed: usize,
    timeout: usize,
    mutants: &'a [Row],
}

impl<'a> Results<'a> {
    fn new(mutants: &'a [Row]) -> Self {
        let count = |result: &str| mutants.iter().filter(|row| row.result == result).count();
        Self {
            caught: count("caught"),
            missed: count("missed"),
            timeout: count("timeout"),
            mutants,
        }
    }
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: MutantsOptions) -> Result<u8, Failure> {
    let MutantsOptions { only, skip, trials } = options;
    let (mutants, dialect) = (select(&only, &skip)?, trials.dialect()?);
    let (json, show_output) = (trials.json, trials.show_output);
    let started = Instant::now();
    print(
        json,
        format_args!("Found {} mutants to test", mutants.len()),
    );
    let (mut baseline_passed, mut rows) = (false, Vec::new());
    let report = |index: usize, trial: Trial| {
        let Some(index) = index.checked_sub(1) else {
            baseline_passed = trial.passed();
            let result = if baseline_passed { "ok" } else { "FAILED" };
            let seconds = trial.duration.as_secs_f64();
            print(
                json,
                format_args!("{result:<8} unmutated baseline in {seconds:.1} s"),
            );
            if show_output || !baseline_passed {
                trial.print_output("unmutated baseline", show_output);
            }
            return;
        };
        let row = Row::new(mutants[index], &trial);
        print(json, format_args!("{row}"));
        if show_output {
            trial.print_output(row.name, true);
        }
        rows.push(row);
    };
    let worlds = [None].into_iter().chain(mutants.iter().copied().map(Some));
    if let Some(exit_code) = run_all(
        worlds.map(|mutant| worlds_of(&dialect, mutant)),
        trials,
        report,
    )
    .await?
    {
        return Ok(exit_code);
    }
    let results = Results::new(&rows);
    if json {
        print_json(&results);
    }
    if !baseline_passed {
        warn("the command failed against the unmutated mock, which has to pass first");
        return Ok(1);
    }
    let (tested, seconds) = (rows.len(), started.elapsed().as_secs_f64());
    print(
        json,
        format_args!(
            "{tested} mutants tested in {seconds:.1} s: {} missed, {} caught, {} timed out",
            results.missed, results.caught, results.timeout
        ),
    );
    Ok(u8::from(results.missed > 0))
}

/// Returns the selected mutants.
fn select(only: &[String], skip: &[String]) -> Result<Vec<Mutant>, Failure> {
    let is_unknown = |name: &&String| Mutant::all().all(|mutant| mutant.name() != name.as_str());
    if let Some(name) = only.iter().chain(skip).find(is_unknown) {
        let expected = Mutant::all().map(Mutant::name).collect();
        let name = name.clone();
        return Err(Failure::Name { name, expected });
    }
    let contains = |names: &[String], mutant: &Mutant| names.iter().any(|one| one == mutant.name());
    let selected =
        |mutant: &Mutant| (only.is_empty() || contains(only, mutant)) && !contains(skip, mutant);
    let selected: Vec<_> = Mutant::all().filter(selected).collect();
    match selected.is_empty() {
        true => Err(Failure::NoMutant),
        false => Ok(selected),
    }
}

fn worlds_of(dialect: &Dialect, mutant: Option<Mutant>) -> Worlds {
    let mut world = World::default();
    world.set_dialect(dialect.clone());
    let mut worlds = Worlds::in_memory(world);
    if let Some(mutant) = mutant {
        worlds.set_mutant(mutant);
    }
    worlds
}

impl Row {
    fn new(mutant: Mutant, trial: &Trial) -> Self {
        Self {
            name: mutant.name(),
            section: mutant.section(),
            sentence: mutant.sentence(),
            result: match trial.outcome {
                Outcome::Passed => "missed",
                Outcome::Failed(_) => "caught",
                Outcome::TimedOut => "timeout",
            },
            seconds: trial.duration.as_secs_f64(),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            section,
            sentence,
            result,
            seconds,
        } = self;
        match *result {
            "missed" => write!(
                f,
                "MISSED   {name} in {seconds:.1} s: \"{sentence}\" (section {section})"
            ),
            result => write!(f, "{result:<8} {name} in {seconds:.1} s"),
        }
    }
}

fn print(json: bool, line: fmt::Arguments<'_>) {
    if !json {
        // Ignore a closed stdout; the exit code still reports the results.
        let _ = writeln!(io::stdout(), "{line}");
    }
}
