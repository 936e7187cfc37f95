//! The report on a client: its violations of the specification, advice, and its coverage of the service.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::webhook::EventKind;
use super::{Endpoint, ProblemKind, Processed, UNROUTED, Violation};

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

fn list<S: Serializer>(
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

impl Coverage {
    /// Counts a processed request.
    fn record(&mut self, processed: &Processed, is_received: bool) {
        let rejections = match processed.endpoint {
            None => &mut self.unrouted,
            Some(endpoint) => {
                let covered = &mut self.endpoints[endpoint as usize];
                covered.calls += 1;
                let is_success = is_received && (200..300).contains(&processed.reply.status);
                covered.successes += u64::from(is_success);
                &mut covered.rejections
            }
        };
        if let Some(code) = processed.rejection.filter(|_| is_received) {
            *rejections.entry(code.as_str()).or_default() += 1;
        }
    }

    /// Counts a sent event if the specification has its kind.
    pub(crate) fn record_event(&mut self, kind: &EventKind) {
        if let Some(count) = self.events.get_mut(kind) {
            *count += 1;
        }
    }

    /// Adds the counts of `others`.
    fn merge(&mut self, others: &Self) {
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
        let without_success = endpoints.clone().filter(|covered| covered.successes == 0);
        let never_met = |covered: &EndpointCoverage| {
            let codes = uncovered(&covered.rejections);
            (!codes.is_empty()).then_some((covered.endpoint, codes))
        };
        Uncovered {
            endpoints: without_success.map(|covered| covered.endpoint).collect(),
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
        let (endpoints, events) = (Endpoint::ALL.iter(), EventKind::ALL.iter());
        let endpoints = endpoints.map(|endpoint| EndpointCoverage {
            endpoint: *endpoint,
            calls: 0,
            successes: 0,
            rejections: endpoint.rejections().map(|code| (code, 0)).collect(),
        });
        Self {
            endpoints: endpoints.collect(),
            unrouted: UNROUTED.map(|kind| (kind.as_str(), 0)).into(),
            events: events.map(|kind| (kind.clone(), 0)).collect(),
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engine::World;
    use crate::engine::handle::tests::{bare, handled, request, with_json};

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
            report.record(&handled(&mut world, &request), true);
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
        report.record(&handled(&mut World::default(), &bare("PUT /me")), true);
        report.assert_no_violations();
    }

    #[test]
    fn coverage_counts_calls_and_lists_uncovered_endpoints() {
        let mut world = World::default();
        let mut report = Report::default();
        let rejected = with_json(request(&world, "POST /me/posts"), r#"{"text": "x"}"#);
        report.record(&handled(&mut world, &rejected), true);
        let request = request(&world, "GET /me");
        report.record(&handled(&mut world, &request), true);
        report.coverage.record_event(&EventKind::POST_REPLIED);

        let coverage = &report.coverage;
        let posts = coverage.endpoint(Endpoint::CreatePost);
        assert_eq!((posts.calls, posts.successes), (1, 0));
        assert_eq!(posts.rejections["unknown_field"], 1);
        let uncovered = coverage.uncovered();
        assert!(uncovered.endpoints.contains(&Endpoint::CreatePost));
        assert!(!uncovered.endpoints.contains(&Endpoint::ReadMe));

        let shown = serde_json::to_value(coverage).unwrap();
        assert_eq!(
            shown["endpoints"].as_array().unwrap().len(),
            Endpoint::ALL.len()
        );
        assert_eq!(shown["endpoints"][0]["endpoint"], "GET /api/v1/me");
        assert_eq!(shown["events"]["post.replied"], 1);
        assert_eq!(
            shown["uncovered"]["unrouted"],
            json!(["method_not_allowed", "path_outside_api", "unknown_path"])
        );
        assert_eq!(
            shown["uncovered"]["rejections"]["GET /api/v1/badges"]
                .as_array()
                .unwrap()
                .len(),
            4
        );
    }
}
