//! The responses to the deliveries, and the report.

use serde_json::{Value, json};

use super::case::{Case, Expected};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, cell};

/// The responses, in the order of the deliveries.
#[derive(Debug, Default)]
pub(super) struct Results {
    all: Vec<CaseResult>,
}

#[derive(Debug)]
struct CaseResult {
    case: Case,
    /// The status code, or the reason for its absence.
    response: Result<u16, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Inconclusive,
    Informational,
}

impl Results {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn add(&mut self, case: Case, response: Result<u16, String>) {
        self.all.push(CaseResult { case, response });
    }

    /// Returns the report, or a failure that contains it.
    pub(super) fn report(&self) -> Result<Report, Failure> {
        let report = Report::new(
            self.all.iter().map(CaseResult::json).collect::<Value>(),
            View::Table {
                columns: vec!["result", "delivery", "status", "reason"],
                rows: self.all.iter().map(CaseResult::row).collect(),
                empty: "",
            },
        );
        let inconclusive = self.names(Verdict::Inconclusive, None);
        let warning = (!inconclusive.is_empty()).then(|| {
            let names = inconclusive.join(", ");
            format!("neither 2xx nor 4xx, so inconclusive: {names}")
        });
        let report = report.warning(warning);
        match self.problem() {
            Some(message) => {
                let passed = self.names(Verdict::Passed, Some(Expected::Accepted));
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
    fn problem(&self) -> Option<String> {
        let rejected = self.names(Verdict::Failed, Some(Expected::Accepted));
        let accepted = self.names(Verdict::Failed, Some(Expected::Rejected));
        let mut problems = Vec::new();
        if !accepted.is_empty() {
            let names = accepted.join(", ");
            problems.push(format!("accepts forged deliveries ({names})"));
        }
        if !rejected.is_empty() {
            let names = rejected.join(", ");
            problems.push(format!("rejects genuine deliveries ({names})"));
        }
        let passed = self.names(Verdict::Passed, Some(Expected::Accepted));
        if passed.is_empty() && rejected.is_empty() {
            problems.push("accepts no delivery, so its rejections prove nothing".to_owned());
        }
        let forged = self.names(Verdict::Passed, Some(Expected::Rejected));
        if forged.is_empty() && accepted.is_empty() {
            problems.push("rejects no forged delivery with 4xx".to_owned());
        }
        let problems = problems.join(" and ");
        (!problems.is_empty()).then(|| format!("the receiver {problems}"))
    }

    fn names(&self, verdict: Verdict, expected: Option<Expected>) -> Vec<&'static str> {
        let matching = self.all.iter().filter(|result| {
            result.verdict() == verdict
                && expected.is_none_or(|expected| result.case.expected == expected)
        });
        matching.map(|result| result.case.name).collect()
    }
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
