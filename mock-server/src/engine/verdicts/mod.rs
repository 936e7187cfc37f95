//! The verdicts on a client: its violations of the specification and its coverage of the service.

mod advice;
mod coverage;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use super::problems::ProblemKind;
use super::processed::{Processed, Violation};

pub use advice::Advice;
pub(crate) use advice::Habit;
pub use coverage::{Coverage, EndpointCoverage, Uncovered};

/// The violations and the coverage of all requests, in bounded memory.
///
/// See [`ServiceHandle::verdicts`](crate::ServiceHandle::verdicts).
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
    violations: BTreeMap<ProblemKind, RuleVerdict>,
    /// Advice on habits of the client that are not violations, in the order of their first occurrence.
    pub advice: Vec<Advice>,
    /// The coverage of the service.
    pub coverage: Coverage,
}

/// The violations of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleVerdict {
    /// The rule; in JSON its name.
    pub rule: ProblemKind,
    /// The number of violations.
    pub count: u64,
    /// The first violations, at most [`Verdicts::MAX_PER_RULE`].
    pub violations: Vec<Violation>,
}

impl Verdicts {
    /// The maximum number of violations that are kept for each rule; later ones are only counted.
    pub const MAX_PER_RULE: usize = 20;

    /// Records a processed request.
    pub(crate) fn record(&mut self, processed: &Processed) {
        self.coverage.record(processed);
        self.record_violations(processed);
    }

    /// Records only the violations, if a fault replaced the response.
    pub(crate) fn record_violations(&mut self, processed: &Processed) {
        for violation in &processed.violations {
            self.count(violation.rule, 1, std::slice::from_ref(violation));
        }
    }

    /// Returns the kept violations, sorted by rule and then by time.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.rules().flat_map(|verdict| &verdict.violations)
    }

    /// Returns the violated rules.
    pub fn rules(&self) -> impl Iterator<Item = &RuleVerdict> {
        self.violations.values()
    }

    /// Asserts that the client has not violated any rule.
    ///
    /// # Panics
    ///
    /// Panics if the client violated a rule. The message lists the violations.
    #[track_caller]
    pub fn assert_no_violations(&self) {
        let all: Vec<_> = self.violations().map(|one| format!("\n- {one}")).collect();
        assert!(
            all.is_empty(),
            "the client violated the specification:{}",
            all.concat()
        );
    }

    /// Records a habit that a request showed.
    pub(crate) fn advise(&mut self, habit: Habit, found: String) {
        self.add_advice(&Advice::new(habit, found));
    }

    fn add_advice(&mut self, new: &Advice) {
        let mut advice = self.advice.iter_mut();
        match advice.find(|one| one.habit == new.habit) {
            Some(one) => one.count += new.count,
            None => self.advice.push(new.clone()),
        }
    }

    /// Removes the violations and the advice, and keeps the coverage.
    pub(crate) fn clear_violations(&mut self) {
        self.violations.clear();
        self.advice.clear();
    }

    /// Adds the violations, the advice and the coverage of `others`.
    pub(crate) fn merge(&mut self, others: &Self) {
        self.coverage.merge(&others.coverage);
        for verdict in others.rules() {
            self.count(verdict.rule, verdict.count, &verdict.violations);
        }
        for advice in &others.advice {
            self.add_advice(advice);
        }
    }

    /// Counts violations of a rule and keeps the first of them.
    fn count(&mut self, rule: ProblemKind, count: u64, violations: &[Violation]) {
        let verdict = self.violations.entry(rule).or_insert(RuleVerdict {
            rule,
            count: 0,
            violations: Vec::new(),
        });
        verdict.count += count;
        let room = Self::MAX_PER_RULE - verdict.violations.len();
        let kept = violations.iter().take(room).cloned();
        verdict.violations.extend(kept);
    }
}

fn list<S: serde::Serializer>(
    violations: &BTreeMap<ProblemKind, RuleVerdict>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(violations.values())
}
