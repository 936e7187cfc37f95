//! The report on a client: its violations of the specification, advice, and its coverage of the service.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Coverage, ProblemKind, Processed, Violation};

/// The violations and the coverage of all requests, in bounded memory.
///
/// See [`ServiceHandle::report`](crate::ServiceHandle::report).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// // … the client under test runs …
/// assert_eq!(server.report().violations().count(), 0);
/// # });
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    #[serde(serialize_with = "list")]
    violations: BTreeMap<ProblemKind, RuleViolations>,
    /// Advice on behavior of the client that is not a violation, in the order of its first occurrence.
    pub advice: Vec<Advice>,
    /// The coverage of the service.
    pub coverage: Coverage,
    /// The number of requests.
    pub requests: u64,
    /// The number of violations of web pages of other origins, which do not count as those of the client.
    pub other_origins: u64,
}

/// The violations of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleViolations {
    /// The rule; in JSON its name.
    pub rule: ProblemKind,
    /// The number of violations.
    pub count: u64,
    /// The first violations, at most [`Report::MAX_PER_RULE`].
    pub violations: Vec<Violation>,
}

impl Report {
    /// The maximum number of violations that are kept for each rule; later ones are only counted.
    pub const MAX_PER_RULE: usize = 20;

    /// Records a processed request. If the client does not receive its response, it covers nothing, but
    /// the call and its violations count.
    pub(crate) fn record(&mut self, processed: &Processed, is_received: bool) {
        self.coverage.record(processed, is_received);
        self.requests += 1;
        self.other_origins += processed.of_other_origin;
        for violation in &processed.violations {
            self.count(violation.rule, 1, std::slice::from_ref(violation));
        }
    }

    /// Returns the kept violations, sorted by rule and then by time.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.rules().flat_map(|broken| &broken.violations)
    }

    /// Returns the violated rules.
    pub fn rules(&self) -> impl Iterator<Item = &RuleViolations> {
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

    /// Adds advice on a behavior that a request showed.
    pub(crate) fn advise(&mut self, (kind, recommendation): AdviceKind, first: String) {
        self.add_advice(&Advice {
            kind,
            recommendation,
            count: 1,
            first,
        });
    }

    fn add_advice(&mut self, new: &Advice) {
        let mut advice = self.advice.iter_mut();
        match advice.find(|one| one.kind == new.kind) {
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
        self.requests += others.requests;
        self.other_origins += others.other_origins;
        for broken in others.rules() {
            self.count(broken.rule, broken.count, &broken.violations);
        }
        for advice in &others.advice {
            self.add_advice(advice);
        }
    }

    /// Counts violations of a rule and keeps the first of them.
    fn count(&mut self, rule: ProblemKind, count: u64, violations: &[Violation]) {
        let broken = self.violations.entry(rule).or_insert(RuleViolations {
            rule,
            count: 0,
            violations: Vec::new(),
        });
        broken.count += count;
        let room = Self::MAX_PER_RULE - broken.violations.len();
        let kept = violations.iter().take(room).cloned();
        broken.violations.extend(kept);
    }
}

fn list<S: serde::Serializer>(
    violations: &BTreeMap<ProblemKind, RuleViolations>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(violations.values())
}

/// Advice on a behavior of the client that the specification does not forbid but that causes trouble with
/// a real service. It never fails a run.
///
/// ```
/// let report = mock_server::Report::default();
/// assert!(report.advice.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The name of the behavior: `retry_after_ignored`, `post_repeated`, `key_in_query` or `unknown_world`.
    pub kind: &'static str,
    /// The advice as a sentence.
    pub recommendation: &'static str,
    /// The number of requests that the advice is about.
    pub count: u64,
    /// The method, the endpoint and the problem of the first of them. Never contains a key.
    pub first: String,
}

/// The name of a behavior to advise against, and the advice.
pub(crate) type AdviceKind = (&'static str, &'static str);

pub(crate) const RETRY_AFTER_IGNORED: AdviceKind = (
    "retry_after_ignored",
    "Wait for the time in Retry-After before sending the request again (RFC 9110, section 10.2.3).",
);

pub(crate) const POST_REPEATED: AdviceKind = (
    "post_repeated",
    "After a lost response, check with GET /api/v1/me before repeating a POST: the service may have \
     carried it out.",
);

pub(crate) const KEY_IN_QUERY: AdviceKind = (
    "key_in_query",
    "Send the key only in the Authorization header: URLs end up in logs.",
);

pub(crate) const UNKNOWN_WORLD: AdviceKind = (
    "unknown_world",
    "Use the URL and the keys of a world only until the world is deleted.",
);

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Report;
    use crate::engine::problems::ProblemKind;
    use crate::engine::processed::Violation;
    use crate::engine::processed::tests::{bare, handle, request, with_json};
    use crate::engine::world::World;

    #[test]
    fn a_report_has_a_bounded_size() {
        let mut world = World::default();
        let mut report = Report::default();
        let fields: serde_json::Map<String, Value> = (0..1000)
            .map(|number| (format!("{number}{}", "x".repeat(500)), Value::Null))
            .collect();
        let body = Value::Object(fields).to_string();
        let request = with_json(request(&world, "PATCH /me/profile"), &body);
        for _ in 0..3 {
            report.record(&handle(&mut world, &request), true);
        }
        let broken = &report.violations[&ProblemKind::UnknownField];
        assert_eq!(broken.count, 3 * Violation::MAX_PER_REQUEST as u64);
        assert_eq!(broken.violations.len(), Report::MAX_PER_RULE);
        for violation in report.violations() {
            let length = violation.found.chars().count();
            assert_eq!(length, Violation::MAX_TEXT_LENGTH);
        }
        let shown = serde_json::to_value(&report).unwrap();
        assert_eq!(shown["violations"][0]["rule"], "unknown_field");
        assert_eq!(shown["violations"][0]["count"], broken.count);
    }

    #[test]
    #[should_panic(
        expected = "the client violated the specification:\n- PUT /api/v1/me: method PUT is not allowed; \
                expected GET (section Endpoints)"
    )]
    fn assert_no_violations_lists_the_violations() {
        let mut report = Report::default();
        report.record(&handle(&mut World::default(), &bare("PUT /me")), true);
        report.assert_no_violations();
    }
}
