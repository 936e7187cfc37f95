//! What the service thinks of its client: the rules it broke, and what it never tried.

use std::collections::BTreeMap;

use serde::Serialize;

use super::coverage::Coverage;
use super::reply::Outcome;
use super::rule::Rule;
use super::violation::Violation;

/// Gathers the violations and the coverage of many requests, in bounded memory.
///
/// ```
/// use mock_server::{Request, Rule, Verdicts, World};
///
/// let (mut world, mut verdicts) = (World::new(0), Verdicts::default());
/// for _ in 0..100 {
///     verdicts.record(&world.handle(&Request::new("GET", "/api/v1/me")));
/// }
/// let verdict = verdicts.rule(Rule::KeyMissing).unwrap();
/// assert_eq!((verdict.count, verdict.first.len()), (100, Verdicts::KEPT_FOR_EACH_RULE));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verdicts {
    #[serde(serialize_with = "list")]
    violations: BTreeMap<Rule, RuleVerdict>,
    /// What was touched, and what was not.
    pub coverage: Coverage,
}

/// How a client fared with one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleVerdict {
    /// The rule; JSON has its name.
    pub rule: Rule,
    /// How often it was broken.
    pub count: u64,
    /// The first violations, at most [`Verdicts::KEPT_FOR_EACH_RULE`].
    pub first: Vec<Violation>,
}

impl Verdicts {
    /// So many violations of each rule are kept; the others are counted.
    pub const KEPT_FOR_EACH_RULE: usize = 20;

    /// Takes in what came of a request.
    ///
    /// ```
    /// use mock_server::{Request, Verdicts, World};
    ///
    /// let mut verdicts = Verdicts::default();
    /// verdicts.record(&World::new(0).handle(&Request::new("GET", "/api/v1/stats")));
    /// assert_eq!(verdicts.violations().count(), 0);
    /// ```
    pub fn record(&mut self, outcome: &Outcome) {
        self.coverage.record(outcome);
        self.record_violations(outcome);
    }

    /// Takes in the violations alone, where the client was answered otherwise.
    pub(crate) fn record_violations(&mut self, outcome: &Outcome) {
        for violation in &outcome.violations {
            self.record_violation(violation);
        }
    }

    /// The violations that are kept, by rule and then in the order in which they came.
    ///
    /// ```
    /// use mock_server::{Request, Verdicts, World};
    ///
    /// let mut verdicts = Verdicts::default();
    /// verdicts.record(&World::new(0).handle(&Request::new("GET", "/me")));
    /// let found: Vec<_> = verdicts.violations().map(|one| one.found.as_str()).collect();
    /// assert_eq!(found, ["there is nothing at /me; every path begins with /api/v1, as /api/v1/me does"]);
    /// ```
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.rules().flat_map(|verdict| &verdict.first)
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

    /// Forgets the violations, and keeps the coverage.
    ///
    /// ```
    /// use mock_server::{Request, Verdicts, World};
    ///
    /// let mut verdicts = Verdicts::default();
    /// verdicts.record(&World::new(0).handle(&Request::new("GET", "/api/v1/me")));
    /// verdicts.forgive();
    /// assert_eq!(verdicts.violations().count(), 0);
    /// ```
    pub fn forgive(&mut self) {
        self.violations.clear();
    }

    fn record_violation(&mut self, violation: &Violation) {
        let rule = violation.rule;
        let verdict = self.violations.entry(rule).or_insert(RuleVerdict {
            rule,
            count: 0,
            first: Vec::new(),
        });
        verdict.count += 1;
        if verdict.first.len() < Self::KEPT_FOR_EACH_RULE {
            verdict.first.push(violation.clone());
        }
    }
}

fn list<S: serde::Serializer>(
    violations: &BTreeMap<Rule, RuleVerdict>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(violations.values())
}
