//! The report on a client: its violations of the specification, advice, and its coverage of the service.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::endpoints::{Endpoint, UNROUTED};
use super::problems::ProblemKind;
use super::processed::{Processed, Violation};
use super::webhook::EventKind;

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
    pub(crate) fn advise(&mut self, kind: AdviceKind, found: String) {
        self.add_advice(&Advice::new(kind, found));
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

/// The endpoints that were called, the rejections that occurred and the events that were sent.
///
/// As JSON it is an object with `endpoints` (an array of [`EndpointCoverage`]), `unrouted` (the
/// number of rejections of requests to no endpoint, by code), `events` (the number of events sent,
/// by kind) and `uncovered` (an [`Uncovered`]).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::{Endpoint, MockServer};
///
/// let server = MockServer::start().await;
/// // … the client under test runs …
/// let coverage = server.report().coverage;
/// println!("{} times GET /badges", coverage.endpoint(Endpoint::ListBadges).calls);
/// println!("never called: {:?}", coverage.uncovered().endpoints);
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// In the order of [`Endpoint::ALL`].
    endpoints: Vec<EndpointCoverage>,
    unrouted: BTreeMap<&'static str, u64>,
    events: BTreeMap<EventKind, u64>,
}

/// The coverage of one endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EndpointCoverage {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The number of requests, including those whose response a fault replaced or a client did not wait
    /// for.
    pub calls: u64,
    /// The number of responses with a 2xx status code.
    pub successes: u64,
    /// The number of rejections by code, including codes that did not occur.
    pub rejections: BTreeMap<&'static str, u64>,
}

/// The parts of the service that are not covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Uncovered {
    /// The endpoints without a 2xx response.
    pub endpoints: Vec<Endpoint>,
    /// The codes of the rejections that did not occur, by endpoint.
    pub rejections: BTreeMap<Endpoint, Vec<&'static str>>,
    /// The codes of the rejections of requests to no endpoint that did not occur.
    pub unrouted: Vec<&'static str>,
    /// The kinds of events that were not sent.
    pub events: Vec<EventKind>,
}

impl EndpointCoverage {
    fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            calls: 0,
            successes: 0,
            rejections: endpoint.rejections().map(|code| (code, 0)).collect(),
        }
    }
}

impl Coverage {
    /// Counts a processed request.
    fn record(&mut self, processed: &Processed, is_received: bool) {
        let rejection = processed.rejection.filter(|_| is_received);
        let Some(endpoint) = processed.endpoint else {
            if let Some(code) = rejection {
                *self.unrouted.entry(code.as_str()).or_default() += 1;
            }
            return;
        };
        let covered = &mut self.endpoints[endpoint as usize];
        covered.calls += 1;
        let is_success = is_received && (200..300).contains(&processed.reply.status);
        covered.successes += u64::from(is_success);
        if let Some(code) = rejection {
            *covered.rejections.entry(code.as_str()).or_default() += 1;
        }
    }

    /// Counts a sent event if the specification has its kind.
    pub(crate) fn record_event(&mut self, kind: &EventKind) {
        if let Some(count) = self.events.get_mut(kind) {
            *count += 1;
        }
    }

    /// Adds the counts of `others`.
    pub(crate) fn merge(&mut self, others: &Self) {
        for (covered, other) in self.endpoints.iter_mut().zip(&others.endpoints) {
            covered.calls += other.calls;
            covered.successes += other.successes;
            add(&mut covered.rejections, &other.rejections);
        }
        add(&mut self.unrouted, &others.unrouted);
        add(&mut self.events, &others.events);
    }

    /// Returns the coverage of an endpoint.
    pub fn endpoint(&self, endpoint: Endpoint) -> &EndpointCoverage {
        &self.endpoints[endpoint as usize]
    }

    /// Returns the parts that are not covered. Some of them can only be covered under the default
    /// dialect.
    pub fn uncovered(&self) -> Uncovered {
        let endpoints = self.endpoints.iter();
        let never_met = |covered: &EndpointCoverage| {
            let codes = uncovered(&covered.rejections);
            (!codes.is_empty()).then_some((covered.endpoint, codes))
        };
        Uncovered {
            endpoints: endpoints
                .clone()
                .filter(|covered| covered.successes == 0)
                .map(|covered| covered.endpoint)
                .collect(),
            rejections: endpoints.filter_map(never_met).collect(),
            unrouted: uncovered(&self.unrouted),
            events: uncovered(&self.events),
        }
    }
}

fn add<K: Clone + Ord>(counts: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (name, count) in others {
        *counts.entry(name.clone()).or_default() += count;
    }
}

fn uncovered<K: Clone>(counts: &BTreeMap<K, u64>) -> Vec<K> {
    let uncounted = counts.iter().filter(|(_, count)| **count == 0);
    uncounted.map(|(name, _)| name.clone()).collect()
}

impl Default for Coverage {
    /// Returns a coverage without requests and events.
    fn default() -> Self {
        Self {
            endpoints: Endpoint::ALL
                .iter()
                .copied()
                .map(EndpointCoverage::new)
                .collect(),
            unrouted: UNROUTED.map(|kind| (kind.as_str(), 0)).into(),
            events: EventKind::ALL
                .iter()
                .map(|kind| (kind.clone(), 0))
                .collect(),
        }
    }
}

impl Serialize for Coverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Coverage", 4)?;
        object.serialize_field("endpoints", &self.endpoints)?;
        object.serialize_field("unrouted", &self.unrouted)?;
        object.serialize_field("events", &self.events)?;
        object.serialize_field("uncovered", &self.uncovered())?;
        object.end()
    }
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
    /// The name of the behavior: `retry_after_ignored`, `post_repeated` or `key_in_query`.
    pub kind: &'static str,
    /// The advice as a sentence.
    pub recommendation: &'static str,
    /// The number of requests that the advice is about.
    pub count: u64,
    /// The method, the endpoint and the problem of the first of them. Never contains a key.
    pub first: String,
}

/// A behavior to advise against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdviceKind {
    RetryAfterIgnored,
    PostRepeated,
    KeyInQuery,
}

impl Advice {
    /// Returns the advice on a behavior, for one request.
    pub(super) fn new(kind: AdviceKind, first: String) -> Self {
        let (kind, recommendation) = match kind {
            AdviceKind::RetryAfterIgnored => (
                "retry_after_ignored",
                "Wait for the time in Retry-After before sending the request again (RFC 9110, section \
                 10.2.3).",
            ),
            AdviceKind::PostRepeated => (
                "post_repeated",
                "After a lost response, check with GET /api/v1/me before repeating a POST: the service may \
                 have carried it out.",
            ),
            AdviceKind::KeyInQuery => (
                "key_in_query",
                "Send the key only in the Authorization header: URLs end up in logs.",
            ),
        };
        Self {
            kind,
            recommendation,
            count: 1,
            first,
        }
    }
}
