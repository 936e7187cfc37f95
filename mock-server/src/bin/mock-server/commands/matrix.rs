//! `mock-server matrix`: runs a command under each alternative to the default dialect.

use std::io::{self, Write};

use clap::Args;
use mock_server::{Dialect, FaultRule, RuleVerdict, World, Worlds};
use serde::Serialize;

use super::standard_faults::standard_faults;
use crate::failure::Failure;
use crate::setup::warn;
use crate::trial::{Outcome, Trial, TrialOptions, print_json, run_all};

/// Run a command against a new mock for each alternative of each dialect setting
///
/// The first run is under the default dialect, or that of --dialect, and has to pass. The command
/// gets the same environment as with `run`. The exit code is 1 if a run failed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server matrix -- pytest -q\n  mock-server matrix --faults --jobs 4 -- npm test\n  mock-server matrix --only ids --show-output -- pytest"
)]
pub(crate) struct MatrixOptions {
    /// Run only the alternatives of this setting, or `fault`; repeatable
    #[arg(long, value_name = "SETTING", value_delimiter = ',')]
    only: Vec<String>,
    /// Also run the command under each of ten standard faults, which affect the first request in each
    /// world
    #[arg(long)]
    faults: bool,
    #[command(flatten)]
    trials: TrialOptions,
}

/// A row of the table.
struct Case {
    setting: &'static str,
    alternative: &'static str,
    dialect: Dialect,
    fault: Option<FaultRule>,
}

impl Case {
    fn worlds(&self) -> Worlds {
        let mut world = World::default();
        world.set_dialect(self.dialect.clone());
        let mut worlds = Worlds::in_memory(world);
        let added = worlds.add_faults(self.fault.iter().cloned().collect());
        added.expect("the standard faults are valid");
        worlds
    }
}

/// The result of one run, as JSON.
#[derive(Serialize)]
struct Row {
    setting: &'static str,
    alternative: &'static str,
    passed: bool,
    /// `null` if the run exceeded the time limit.
    exit_code: Option<u8>,
    seconds: f64,
    violations: Vec<RuleVerdict>,
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: MatrixOptions) -> Result<u8, Failure> {
    let MatrixOptions {
        only,
        faults,
        trials,
    } = options;
    let cases = select(&trials.dialect()?, &only, faults)?;
    let (json, show_output) = (trials.json, trials.show_output);
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    if !json {
        print_row("setting", "alternative", "result", "first violation");
    }
    let report = |index: usize, trial: Trial| {
        let case: &Case = &cases[index];
        let row = Row {
            setting: case.setting,
            alternative: case.alternative,
            passed: trial.passed(),
            exit_code: trial.outcome.exit_code(),
            seconds: trial.duration.as_secs_f64(),
            violations: trial.verdicts.rules().cloned().collect(),
        };
        if !json {
            row.print(trial.outcome);
        }
        if show_output {
            trial.print_output(&row.title(), true);
        } else if !trial.passed() {
            failed.push((row.title(), trial));
        }
        rows.push(row);
    };
    let worlds = cases.iter().map(Case::worlds);
    if let Some(exit_code) = run_all(worlds, trials, report).await? {
        return Ok(exit_code);
    }
    for (title, trial) in &failed {
        trial.print_output(title, false);
    }
    Ok(conclude(&rows, cases.len(), json))
}

/// Returns the given dialect and the selected cases, which differ from it.
fn select(base: &Dialect, only: &[String], faults: bool) -> Result<Vec<Case>, Failure> {
    let dialects = base
        .variations()
        .map(|(setting, alternative, dialect)| Case {
            setting,
            alternative,
            dialect,
            fault: None,
        });
    let standard = standard_faults().map(|(alternative, fault)| Case {
        setting: "fault",
        alternative,
        dialect: base.clone(),
        fault: Some(fault),
    });
    let all: Vec<_> = dialects.chain(standard).collect();
    let mut settings: Vec<_> = all.iter().map(|case| case.setting).collect();
    settings.dedup();
    if let Some(name) = only.iter().find(|name| !settings.contains(&name.as_str())) {
        return Err(Failure::Name {
            name: name.clone(),
            expected: settings,
        });
    }
    let default = Case {
        setting: match *base == Dialect::default() {
            true => "default",
            false => "given",
        },
        alternative: "",
        dialect: base.clone(),
        fault: None,
    };
    let selected = |case: &Case| match only.is_empty() {
        true => faults || case.fault.is_none(),
        false => only.iter().any(|name| name == case.setting),
    };
    let selected = all.into_iter().filter(selected);
    Ok([default].into_iter().chain(selected).collect())
}

impl Row {
    fn title(&self) -> String {
        match self.alternative {
            "" => self.setting.to_owned(),
            alternative => format!("{} = {alternative}", self.setting),
        }
    }

    fn print(&self, outcome: Outcome) {
        let first = self.violations.first();
        let first = first.and_then(|rule| Some((rule.rule, rule.violations.first()?)));
        let first = first.map(|(rule, violation)| format!("{rule}: {}", violation.found));
        let first = first.unwrap_or_default();
        let outcome = outcome.to_string();
        print_row(self.setting, self.alternative, &outcome, &first);
    }
}

fn print_row(setting: &str, alternative: &str, result: &str, violation: &str) {
    let line = format!("{setting:<28}{alternative:<22}{result:<24}{violation}");
    // Ignore a closed stdout; the exit code still reports the results.
    let _ = writeln!(io::stdout(), "{}", line.trim_end());
}

/// The whole result, as JSON.
#[derive(Serialize)]
struct Results<'a> {
    passed: usize,
    failed: usize,
    runs: &'a [Row],
}

/// Prints the conclusion and returns the exit code.
fn conclude(runs: &[Row], cases: usize, json: bool) -> u8 {
    let passed = runs.iter().filter(|run| run.passed).count();
    let failed = runs.len() - passed;
    if json {
        print_json(&Results {
            passed,
            failed,
            runs,
        });
    } else {
        let _ = writeln!(io::stdout(), "{passed} passed, {failed} failed");
    }
    if runs.len() < cases {
        let setting = runs.first().map_or("default", |baseline| baseline.setting);
        warn(&format!(
            "the command failed under the {setting} dialect, which has to pass first"
        ));
    }
    u8::from(failed > 0)
}
