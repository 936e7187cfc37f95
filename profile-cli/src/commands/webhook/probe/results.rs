//! The responses to the deliveries, and the report.

use serde_json::{Value, json};

use super::case::{Case, Expected};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, cell};

/// The response to a delivery.
#[derive(Debug)]
pub(super) struct CaseResult {
    pub(super) case: Case,
    /// The status code, or the reason for its absence.
    pub(super) response: Result<u16, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Inconclusive,
    Informational,
}

/// Returns the report, or a failure that contains it.
pub(super) fn report(results: &[CaseResult]) -> Result<Report, Failure> {
    let report = Report::new(
        results.iter().map(CaseResult::json).collect::<Value>(),
        View::Table {
            columns: vec!["result", "delivery", "status", "reason"],
            rows: results.iter().map(CaseResult::row).collect(),
            empty: "",
        },
    );
    let inconclusive = names(results, Verdict::Inconclusive, None);
    let warning = (!inconclusive.is_empty()).then(|| {
        let inconclusive = inconclusive.join(", ");
        format!("neither 2xx nor 4xx, so inconclusive: {inconclusive}")
    });
    let report = report.warning(warning);
    match problem(results) {
        Some(message) => {
            let passed = names(results, Verdict::Passed, Some(Expected::Accepted));
            let hint = "the receiver must use the same secret and encoding".to_owned();
            Err(Failure {
                done: Some(Box::new(report)),
                hint: passed.is_empty().then_some(hint),
                ..Failure::new(FailureKind::Other, message)
            })
        }
        None => Ok(report),
    }
}

/// Returns the mistakes of the receiver, if any.
fn problem(results: &[CaseResult]) -> Option<String> {
    let rejected = names(results, Verdict::Failed, Some(Expected::Accepted));
    let accepted = names(results, Verdict::Failed, Some(Expected::Rejected));
    let mut problems = Vec::new();
    if !accepted.is_empty() {
        let accepted = accepted.join(", ");
        problems.push(format!("accepts forged deliveries ({accepted})"));
    }
    if !rejected.is_empty() {
        let rejected = rejected.join(", ");
        problems.push(format!("rejects genuine deliveries ({rejected})"));
    }
    let passed = names(results, Verdict::Passed, Some(Expected::Accepted));
    if passed.is_empty() && rejected.is_empty() {
        problems.push("accepts no delivery, so its rejections prove nothing".to_owned());
    }
    let forged = names(results, Verdict::Passed, Some(Expected::Rejected));
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
        match (self.case.expected, &self.response) {
            (Expected::Either, _) => Verdict::Informational,
            (Expected::Accepted, Ok(200..=299)) => Verdict::Passed,
            (Expected::Rejected, Ok(400..=499)) => Verdict::Passed,
            (_, Ok(200..=299 | 400..=499)) => Verdict::Failed,
            // The service would repeat it, or turn the webhook off.
            (Expected::Accepted, Ok(500..=599)) => Verdict::Failed,
            _ => Verdict::Inconclusive,
        }
    }

    fn json(&self) -> Value {
        let response = self.response.as_ref();
        json!({
            "delivery": self.case.name,
            "expected": self.case.expected.as_str(),
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
            cell(self.response.as_ref().ok()),
            match &self.response {
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
