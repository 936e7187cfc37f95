//! The result of one check.

use serde_json::{Value, json};

use crate::outcome::failure::Failure;

/// A finding, with advice unless everything is in order.
pub(super) struct Check {
    name: &'static str,
    state: State,
    finding: String,
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warning,
    Problem,
}

impl Check {
    pub(super) fn ok(name: &'static str, finding: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Ok,
            finding: finding.into(),
            advice: None,
        }
    }

    pub(super) fn warning(name: &'static str, finding: String, advice: String) -> Self {
        Self {
            state: State::Warning,
            advice: Some(advice),
            ..Self::ok(name, finding)
        }
    }

    pub(super) fn problem(name: &'static str, finding: String, advice: &str) -> Self {
        Self {
            state: State::Problem,
            advice: Some(advice.to_owned()),
            ..Self::ok(name, finding)
        }
    }

    /// Creates a problem from a failure; its hint is the advice.
    pub(super) fn failed(name: &'static str, failure: Failure) -> Self {
        Self {
            state: State::Problem,
            advice: failure.hint,
            ..Self::ok(name, failure.message)
        }
    }

    pub(super) fn is_problem(&self) -> bool {
        self.state == State::Problem
    }

    pub(super) fn row(&self) -> Vec<String> {
        let advice = self.advice.clone().unwrap_or_default();
        let state = self.state.as_str().to_owned();
        vec![self.name.to_owned(), state, self.finding.clone(), advice]
    }

    pub(super) fn as_json(&self) -> Value {
        json!({
            "check": self.name,
            "state": self.state.as_str(),
            "finding": self.finding,
            "advice": self.advice,
        })
    }
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}
