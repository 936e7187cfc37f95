//! The report of `mock-server run` on stderr.

use std::io::{self, Write};

use mock_server::{Advice, Coverage, Endpoint, ProblemKind, RuleVerdict, Verdicts};

use crate::setup::warn;

/// Maximum number of different violations to print per rule.
const MAX_PER_RULE: usize = 5;

/// Prints a hint and returns `true` if the command called no endpoint.
pub(crate) fn warn_unless_called(coverage: &Coverage) -> bool {
    let is_uncalled = |endpoint: &Endpoint| coverage.endpoint(*endpoint).calls == 0;
    let is_idle = Endpoint::ALL.iter().all(is_uncalled);
    if is_idle {
        warn("no endpoint was called; the URL is in PROFILE_BASE_URL");
    }
    is_idle
}

/// Prints the violations and the coverage. Returns `true` if a rule was violated that is not allowed.
pub(crate) fn print(verdicts: &Verdicts, allowed: &[ProblemKind]) -> bool {
    let violated = verdicts.rules().filter(|one| !allowed.contains(&one.rule));
    let violated: Vec<_> = violated.collect();
    // Ignore a closed stderr; the exit code still reports the violations.
    let _ = write(&mut io::stderr(), verdicts, &violated);
    !violated.is_empty()
}

fn write(to: &mut impl Write, verdicts: &Verdicts, violated: &[&RuleVerdict]) -> io::Result<()> {
    if !violated.is_empty() {
        writeln!(to, "mock-server: the command violated the specification:")?;
        for verdict in violated {
            write_rule(to, verdict)?;
        }
        let rules: Vec<_> = violated.iter().map(|one| one.rule.as_str()).collect();
        let rules = rules.join(",");
        writeln!(to, "mock-server: if this is intended, add --allow {rules}")?;
    }
    for advice in &verdicts.advice {
        write_advice(to, advice)?;
    }
    let coverage = &verdicts.coverage;
    let uncovered = coverage.uncovered().endpoints;
    let (all, covered) = (Endpoint::ALL.len(), Endpoint::ALL.len() - uncovered.len());
    writeln!(to, "mock-server: {covered} of {all} endpoints covered")?;
    if warn_unless_called(coverage) {
        return Ok(());
    }
    for endpoint in uncovered {
        writeln!(to, "  not covered: {endpoint}")?;
    }
    Ok(())
}

fn write_advice(to: &mut impl Write, advice: &Advice) -> io::Result<()> {
    let Advice {
        habit,
        recommendation,
        first,
        ..
    } = advice;
    let times = times(advice.count);
    writeln!(
        to,
        "mock-server: advice: {habit} ({times}): {recommendation}"
    )?;
    writeln!(to, "  {first}")
}

fn times(count: u64) -> String {
    match count {
        1 => "1 time".to_owned(),
        _ => format!("{count} times"),
    }
}

fn write_rule(to: &mut impl Write, verdict: &RuleVerdict) -> io::Result<()> {
    let RuleVerdict {
        rule,
        count,
        violations,
        ..
    } = verdict;
    writeln!(
        to,
        "  {rule} ({}, section {}): \"{}\"",
        times(*count),
        rule.section().unwrap_or_default(),
        rule.requirement().unwrap_or_default()
    )?;
    let mut printed = Vec::new();
    for violation in violations {
        let line = format!(
            "{} {}: {}",
            violation.method, violation.path, violation.found
        );
        if printed.len() < MAX_PER_RULE && !printed.contains(&line) {
            writeln!(to, "    {line}")?;
            printed.push(line);
        }
    }
    Ok(())
}
