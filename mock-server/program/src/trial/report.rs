//! The report of several runs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use mock_server::{RuleVerdict, Worlds};
use serde::Serialize;

use super::{Trial, TrialOptions, run_all};
use crate::failure::Failure;
use crate::printable::printable;
use crate::setup::warn;

/// A mock to run the command against.
pub(crate) struct Case {
    name: String,
    /// The sentence of the specification that a mutant breaks.
    sentence: Option<&'static str>,
    worlds: Worlds,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>, worlds: Worlds) -> Self {
        Self {
            name: name.into(),
            sentence: None,
            worlds,
        }
    }

    /// Sets the sentence that the mock breaks.
    pub(crate) fn breaking(self, sentence: &'static str) -> Self {
        Self {
            sentence: Some(sentence),
            ..self
        }
    }
}

/// The expected outcome of all runs except the first, the baseline, which has to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Pass,
    Fail,
}

/// The result of one run.
#[derive(Serialize)]
struct Row {
    name: String,
    result: &'static str,
    /// `null` if the run exceeded the time limit.
    exit_code: Option<u8>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<&'static str>,
    violations: Vec<RuleVerdict>,
    #[serde(skip)]
    is_expected: bool,
}

/// The whole result, as JSON.
#[derive(Serialize)]
struct Results<'a> {
    /// The number of runs by their result.
    counts: &'a BTreeMap<&'static str, usize>,
    runs: &'a [Row],
}

/// Runs the command against each mock, prints the results, and returns the exit code: 1 if a run did
/// not end as expected.
pub(crate) async fn run(
    cases: Vec<Case>,
    options: TrialOptions,
    expected: Expected,
) -> Result<u8, Failure> {
    let (json, show_output) = (options.json, options.show_output);
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let (all, worlds): (Vec<_>, Vec<_>) = cases
        .into_iter()
        .map(|case| ((case.name, case.sentence), case.worlds))
        .unzip();
    let report = |index: usize, trial: Trial| {
        let (name, sentence) = all[index].clone();
        let expected = if index == 0 { Expected::Pass } else { expected };
        let row = Row::new(name, sentence, &trial, expected);
        if !json {
            row.print(&trial);
        }
        if show_output {
            trial.print_output(&row.name, true);
        } else if !row.is_expected && !trial.passed() {
            failed.push((row.name.clone(), trial));
        }
        rows.push(row);
    };
    if let Some(exit_code) = run_all(worlds.into_iter(), options, report).await? {
        return Ok(exit_code);
    }
    for (name, trial) in &failed {
        trial.print_output(name, false);
    }
    conclude(&rows, json);
    if rows.len() < all.len() {
        let baseline = &rows[0].name;
        warn(&format!("the first run failed: {baseline}; it has to pass"));
    }
    Ok(u8::from(!rows.iter().all(|row| row.is_expected)))
}

impl Row {
    fn new(
        name: String,
        sentence: Option<&'static str>,
        trial: &Trial,
        expected: Expected,
    ) -> Self {
        let (result, is_expected) = match (trial.exit_code, expected) {
            (Some(0), Expected::Pass) => ("passed", true),
            (Some(_), Expected::Pass) => ("failed", false),
            (None, Expected::Pass) => ("timeout", false),
            (Some(0), Expected::Fail) => ("missed", false),
            (Some(_), Expected::Fail) => ("caught", true),
            (None, Expected::Fail) => ("timeout", true),
        };
        Self {
            name,
            result,
            exit_code: trial.exit_code,
            seconds: trial.duration.as_secs_f64(),
            sentence,
            violations: trial.verdicts.rules().cloned().collect(),
            is_expected,
        }
    }

    /// Prints the result, with the sentence of a missed mutant or the first violation.
    fn print(&self, trial: &Trial) {
        let first = self.violations.first();
        let first = first.and_then(|rule| Some((rule.rule, rule.violations.first()?)));
        let note = match self.sentence {
            None => first.map(|(rule, violation)| format!("{rule}: {}", violation.found)),
            Some(_) if self.is_expected => None,
            Some(sentence) => Some(format!("\"{sentence}\"")),
        };
        let result = match self.result {
            "missed" => "MISSED".to_owned(),
            "failed" => trial.describe(),
            result => result.to_owned(),
        };
        let line = format!("{:<50}{result:<24}{}", self.name, note.unwrap_or_default());
        // Ignore a closed stdout; the exit code still reports the results.
        let _ = writeln!(io::stdout(), "{}", printable(line.trim_end()));
    }
}

fn conclude(runs: &[Row], json: bool) {
    let mut counts = BTreeMap::new();
    for run in runs {
        *counts.entry(run.result).or_default() += 1;
    }
    let text = match json {
        true => {
            let counts = &counts;
            serde_json::to_string_pretty(&Results { counts, runs })
                .expect("results contain only JSON values")
        }
        false => {
            let counts = counts
                .iter()
                .map(|(result, count)| format!("{count} {result}"));
            counts.collect::<Vec<_>>().join(", ")
        }
    };
    // Ignore a closed stdout; the exit code still reports the results.
    let _ = writeln!(io::stdout(), "{text}");
}
