//! The command `profile webhook probe`: sends genuine and forged deliveries to a receiver.

mod cases;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::delivery::{Attempt, SECRET_HINT, Sender, destination};
use super::{Encoding, SECRET_HELP, WebhookSecret};
use crate::outcome::{Failure, Report, Result, View, cell};
use crate::session::Session;
use crate::system::interruption;
use crate::terminal::SafeUrl;
use Verdict::{Failed, Inconclusive, Informational, Passed};
use cases::{Case, Expected, Signer};

/// The pause after each delivery, which limits the rate to 100 per second.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, Args)]
#[command(after_help = format!("\
The receiver must use the same secret. It acts on the deliveries that it accepts, so the command asks \
first unless --yes is given; their payload contains \"probe\": true. Deliveries are sent one after the \
other, at most 100 per second and 1 MiB each. Redirects are not followed.

A row of the result names a delivery and the reason why it matters. A status code of 2xx counts as \
accepted, 4xx as rejected, and 408 and 429 as inconclusive. Another status code, or no response, counts \
as rejected for a genuine delivery, and is inconclusive for a forged one. Results marked as \
informational, such as repeated deliveries, are neither right nor wrong. Inconclusive results do not \
change the exit code:

  8  the receiver does not respond to the first delivery
  1  it accepts a forged delivery, or answers none of them with 4xx; it
     rejects a genuine delivery, or does not accept the last one

{SECRET_HELP}

Examples:
  profile webhook probe http://127.0.0.1:8080/hooks
  profile webhook probe http://127.0.0.1:8080/hooks --yes --json"))]
pub(crate) struct ProbeArguments {
    /// URL of the receiver, on this machine unless --allow-remote is given
    #[arg(value_parser = destination)]
    url: SafeUrl,

    /// Allow a receiver on another machine
    #[arg(long)]
    allow_remote: bool,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn run(arguments: &ProbeArguments, session: &Session<'_>) -> Result<ExitCode> {
    let url = &arguments.url;
    if !arguments.allow_remote && !url.is_loopback() {
        let message = format!("{url} is not on this machine");
        let hint = "add --allow-remote if the receiver is yours";
        return Err(Failure::usage(message).hint(hint));
    }
    let cases = cases::all(&Signer {
        secret: &WebhookSecret::load(session)?.bytes,
        encoding: arguments.encoding.digest,
    });
    session.confirm(&format!(
        "Send {} deliveries to {url}? The receiver acts on those that it accepts.",
        cases.len()
    ))?;
    let results = send(cases, url, session)?;
    let exit_code = session.output.report(&report(&results)?);
    if session.output.is_for_people() {
        session.output.note(&summary(&results));
    }
    Ok(exit_code)
}

/// Sends the deliveries in order. Fails if the first does not get a response.
fn send(cases: Vec<Case>, url: &SafeUrl, session: &Session<'_>) -> Result<Vec<CaseResult>> {
    let sender = Sender::new(url, session)?;
    let _deferred = interruption::defer();
    let mut progress = session.progress("probing", cases.len());
    let mut results = Vec::new();
    for case in cases {
        tracing::info!("POST {} to {url}", case.name);
        let attempt = sender.send(&case.delivery, session).map_err(|failure| {
            let done = (!results.is_empty()).then(|| Box::new(table(&results)));
            Failure { done, ..failure }
        })?;
        std::thread::sleep(PAUSE);
        if let (Err(reason), true) = (&attempt.response, results.is_empty()) {
            let message = format!("the receiver did not respond: {reason}");
            return Err(attempt.no_response(message));
        }
        results.push(CaseResult { case, attempt });
        progress.advance();
    }
    Ok(results)
}

/// The response to a delivery.
struct CaseResult {
    case: Case,
    attempt: Attempt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Inconclusive,
    Informational,
}

const PARSED_HINT: &str = "the receiver verifies JSON that was parsed and serialized again; it must verify the \
     raw bytes, as those in docs/receivers of the repository do";

const JSON_HINT: &str =
    "JSON is parsed before the handler, which must get the raw bytes; exclude the path from it";

fn table(results: &[CaseResult]) -> Report {
    let json: Value = results.iter().map(CaseResult::json).collect();
    let columns = ["result", "delivery", "status", "reason"].map(str::to_owned);
    let table = View::Table {
        columns: columns.into(),
        rows: results.iter().map(CaseResult::row).collect(),
        empty: "",
    };
    Report::new(json, table)
}

/// Returns the report, or a failure that contains it.
fn report(results: &[CaseResult]) -> Result<Report> {
    let report = table(results);
    let inconclusive = names(results, Inconclusive, None);
    let warning =
        (!inconclusive.is_empty()).then(|| format!("inconclusive: {}", inconclusive.join(", ")));
    let report = report.warnings(warning);
    let Some(message) = problem(results) else {
        return Ok(report);
    };
    let passed = names(results, Passed, Some(Expected::Accepted));
    let accepted = names(results, Failed, Some(Expected::Rejected));
    let is_reformatted = |name: &&str| name.starts_with("json_reformatted");
    // A receiver that accepts any body with a signature does not verify.
    let is_parsed = !accepted.contains(&"other_body") && accepted.iter().any(is_reformatted);
    let advice = results.first().and_then(|first| first.attempt.advice());
    let is_passed = |result: &&CaseResult| passed.contains(&result.case.name);
    let mut genuine = results.iter().filter(is_passed);
    let hint = match is_parsed {
        true => Some(PARSED_HINT.to_owned()),
        false if passed.is_empty() => Some(advice.unwrap_or_else(|| SECRET_HINT.to_owned())),
        false if !genuine.any(|result| result.case.is_json()) => Some(JSON_HINT.to_owned()),
        false => None,
    };
    Err(Failure::other(message).optional_hint(hint).done(report))
}

/// Returns the number of results of each kind.
fn summary(results: &[CaseResult]) -> String {
    let counts = [Passed, Failed, Inconclusive, Informational].map(|verdict| {
        let count = names(results, verdict, None).len();
        format!("{count} {}", verdict.as_str())
    });
    format!("{} deliveries: {}", results.len(), counts.join(", "))
}

/// Returns the mistakes of the receiver, if any.
fn problem(results: &[CaseResult]) -> Option<String> {
    let rejected = names(results, Failed, Some(Expected::Accepted));
    let accepted = names(results, Failed, Some(Expected::Rejected));
    let mut problems = Vec::new();
    if !accepted.is_empty() {
        let accepted = accepted.join(", ");
        problems.push(format!("accepts forged deliveries ({accepted})"));
    }
    if !rejected.is_empty() {
        let rejected = rejected.join(", ");
        problems.push(format!("rejects genuine deliveries ({rejected})"));
    }
    if results.last().map(CaseResult::verdict) != Some(Passed) {
        let problem = "does not accept the last delivery, so its rejections prove nothing";
        problems.push(problem.to_owned());
    }
    let forged = names(results, Passed, Some(Expected::Rejected));
    if forged.is_empty() && accepted.is_empty() {
        problems.push("rejects no forged delivery with 4xx".to_owned());
    }
    let problems = problems.join(" and ");
    (!problems.is_empty()).then(|| format!("the receiver {problems}"))
}

fn names(
    results: &[CaseResult],
    verdict: Verdict,
    expected: Option<Expected>,
) -> Vec<&'static str> {
    let matching = results.iter().filter(|result| {
        result.verdict() == verdict
            && expected.is_none_or(|expected| result.case.expected == expected)
    });
    matching.map(|result| result.case.name).collect()
}

impl CaseResult {
    fn verdict(&self) -> Verdict {
        match (self.case.expected, &self.attempt.response) {
            (Expected::Either, _) => Informational,
            // A receiver that is slow or limits its rate may not have verified the delivery.
            (_, Ok(408 | 429)) => Inconclusive,
            (Expected::Accepted, Ok(200..=299)) => Passed,
            // The service counts it as a failed delivery.
            (Expected::Accepted, _) => Failed,
            (Expected::Rejected, Ok(200..=299)) => Failed,
            (Expected::Rejected, Ok(400..=499)) => Passed,
            (Expected::Rejected, _) => Inconclusive,
        }
    }

    fn json(&self) -> Value {
        let response = self.attempt.response.as_ref();
        let expected = match self.case.expected {
            Expected::Accepted => "accepted",
            Expected::Rejected => "rejected",
            Expected::Either => "either",
        };
        json!({
            "delivery": self.case.name,
            "expected": expected,
            "result": self.verdict().as_str(),
            "status": response.ok(),
            "error": response.err(),
            "reason": self.case.reason,
        })
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.verdict().as_str().to_owned(),
            self.case.name.to_owned(),
            cell(self.attempt.response.as_ref().ok()),
            match &self.attempt.response {
                Ok(_) => self.case.reason.to_owned(),
                Err(error) => error.clone(),
            },
        ]
    }
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
            Self::Informational => "informational",
        }
    }
}
