//! What the service thinks of its client: the rules it broke, and what it never tried.

mod coverage;
#[cfg(test)]
mod tests;
mod violation;

use std::collections::BTreeMap;

use serde::Serialize;

use super::outcome::Outcome;
use super::rejections::Rule;

pub use coverage::{Coverage, EndpointCoverage, Uncovered};
pub use violation::Violation;
pub(super) use violation::violations;

/// Gathers the violations and the coverage of many requests, in bounded memory.
///
/// [`MockServer::verdicts`](crate::MockServer::verdicts) returns them.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// // … the client under test runs …
/// assert_eq!(server.verdicts().violations().count(), 0);
/// # });
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verdicts {
    #[serde(serialize_with = "list")]
    violations: BTreeMap<Rule, RuleVerdict>,
    /// What was touched, and what was not.
    pub coverage: Coverage,
}

/// How a client fared with one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleVerdict {
    /// The rule; JSON has its name.
    pub rule: Rule,
    /// How often it was broken.
    pub count: u64,
    /// The first violations, at most [`Verdicts::MAX_PER_RULE`].
    pub violations: Vec<Violation>,
}

impl Verdicts {
    /// So many violations of each rule are kept; the others are counted.
    pub const MAX_PER_RULE: usize = 20;

    /// Adds the outcome of a request.
    pub(crate) fn record(&mut self, outcome: &Outcome) {
        self.coverage.record(outcome);
        self.record_violations(outcome);
    }

    /// Adds the violations alone, where the client got another answer.
    pub(crate) fn record_violations(&mut self, outcome: &Outcome) {
        for violation in &outcome.violations {
            self.record_violation(violation);
        }
    }

    /// The violations that are kept, by rule and then in the order in which they came.
    ///
    /// ```
    /// assert_eq!(mock_server::Verdicts::default().violations().count(), 0);
    /// ```
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.rules().flat_map(|verdict| &verdict.violations)
    }

    /// The rules that were broken.
    ///
    /// ```
    /// assert_eq!(mock_server::Verdicts::default().rules().count(), 0);
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = &RuleVerdict> {
        self.violations.values()
    }

    /// How the client fared with this rule; `None` when it kept to it.
    ///
    /// ```
    /// use mock_server::{Rule, Verdicts};
    /// assert_eq!(Verdicts::default().rule(Rule::UnknownField), None);
    /// ```
    pub fn rule(&self, rule: Rule) -> Option<&RuleVerdict> {
        self.violations.get(&rule)
    }

    /// Checks that the client broke no rule.
    ///
    /// # Panics
    ///
    /// When it broke one; the message lists the violations.
    ///
    /// ```
    /// mock_server::Verdicts::default().assert_no_violations();
    /// ```
    #[track_caller]
    pub fn assert_no_violations(&self) {
        let all: Vec<_> = self.violations().map(|one| format!("\n- {one}")).collect();
        assert!(
            all.is_empty(),
            "the client violated the specification:{}",
            all.concat()
        );
    }

    /// Forgets the violations, and keeps the coverage.
    pub(crate) fn clear_violations(&mut self) {
        self.violations.clear();
    }

    fn record_violation(&mut self, violation: &Violation) {
        let rule = violation.rule;
        let verdict = self.violations.entry(rule).or_insert(RuleVerdict {
            rule,
            count: 0,
            violations: Vec::new(),
        });
        verdict.count += 1;
        if verdict.violations.len() < Self::MAX_PER_RULE {
            verdict.violations.push(violation.clone());
        }
    }
}

fn list<S: serde::Serializer>(
    violations: &BTreeMap<Rule, RuleVerdict>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(violations.values())
}
