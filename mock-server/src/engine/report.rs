//! The report on a client: its violations of the specification, advice, and its coverage of the service.

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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde_json::{Value, json};

    use super::{Report, Violation};
    use crate::engine::access::{RateLimit, Scope};
    use crate::engine::dialect::Dialect;
    use crate::engine::endpoints::Endpoint;
    use crate::engine::handle::process;
    use crate::engine::problems::ProblemKind;
    use crate::engine::processed::Processed;
    use crate::engine::request::Request;
    use crate::engine::resources::{FieldLimit, ProfileField};
    use crate::engine::webhook::EventKind;
    use crate::engine::world::World;

    fn handle(world: &mut World, request: &Request) -> Processed {
        let now = world.clock().timestamp();
        process(world, request, now)
    }

    /// Creates a request with the key that has all scopes.
    fn request(world: &World, line: &str) -> Request {
        bare(line).header("Authorization", format!("Bearer {}", world.keys().all))
    }

    /// Creates a request without a key.
    fn bare(line: &str) -> Request {
        let (method, path) = line.split_once(' ').unwrap();
        Request::new(method, &format!("/api/v1{path}"))
    }

    fn with_json(request: Request, body: &str) -> Request {
        request
            .header("Content-Type", "application/json")
            .body(body)
    }

    #[track_caller]
    fn assert_breaks(request: &Request, expected: &[(ProblemKind, &str)]) {
        let dialects = Dialect::alternatives().map(|(_, _, dialect)| dialect);
        for dialect in dialects.chain([Dialect::default(), Dialect::minimal(), Dialect::maximal()])
        {
            let mut world = World::default();
            world.set_dialect(dialect.clone());
            let violations = handle(&mut world, request).violations;
            let found: Vec<_> = violations
                .iter()
                .map(|one| (one.rule, &*one.found))
                .collect();
            assert_eq!(found, expected, "{dialect:?}");
        }
    }

    #[test]
    fn reports_violations_in_bodies_under_every_dialect() {
        let world = World::default();
        let profile = || request(&world, "PATCH /me/profile");
        let bio = ProfileField::ALL.iter().find(|field| field.name() == "bio");
        let FieldLimit::Text { max_characters, .. } = bio.unwrap().limit() else {
            panic!("the bio is a text");
        };
        let length = max_characters + 1;
        let lines = "\n".repeat(length);
        let long = format!("bio has {length} characters; at most {max_characters} are allowed");
        let high = format!("bio has {} lines; at most 10 are allowed", length + 1);
        let names = ProfileField::NAMES.join(", ");
        let unknown_field = format!("unknown field nickname; expected one of {names}");
        let long_bio = json!({"bio": lines, "nickname": "x", "location": null}).to_string();
        for (request, expected) in [
            (
                with_json(profile(), &long_bio),
                &[
                    (ProblemKind::TooManyCharacters, &*long),
                    (ProblemKind::TooManyLines, &high),
                    (
                        ProblemKind::WrongType,
                        "location is null; expected a string",
                    ),
                    (ProblemKind::UnknownField, &unknown_field),
                ][..],
            ),
            (
                profile().body(r#"{"text_color": "red"}"#),
                &[
                    (
                        ProblemKind::WrongContentType,
                        "the content type is missing; expected application/json",
                    ),
                    (
                        ProblemKind::NotAColor,
                        "text_color is not a color of the form #rrggbb, such as #ff8800",
                    ),
                ],
            ),
            (
                with_json(bare("POST /me/posts"), "[]"),
                &[
                    (
                        ProblemKind::KeyMissing,
                        "no API key; send the header `Authorization: Bearer <API_KEY>`",
                    ),
                    (
                        ProblemKind::NotAJsonObject,
                        "the body is not a JSON object: found an array",
                    ),
                ],
            ),
        ] {
            assert_breaks(&request, expected);
        }
    }

    #[test]
    fn reports_violations_of_keys_and_days_under_every_dialect() {
        let world = World::default();
        let none = format!("Bearer {}", world.keys().none);
        for (request, expected) in [
            (
                bare("GET /badges").header("Authorization", world.keys().all),
                &[(
                    ProblemKind::MalformedAuthorization,
                    "the Authorization header does not have the form `Bearer <API_KEY>`",
                )],
            ),
            (
                bare("GET /me/analytics").header("Authorization", none),
                &[(
                    ProblemKind::ScopeMissing,
                    "the key lacks the scope analytics:read",
                )],
            ),
            (
                request(&world, "GET /users/grace/stats?days=31"),
                &[(
                    ProblemKind::OutOfRange,
                    "days is 31; expected 1 to 30 for this profile",
                )],
            ),
            (
                request(&world, "GET /users/demo/stats?days=soon"),
                &[(
                    ProblemKind::NotAnInteger,
                    "days is `soon`; expected an integer",
                )],
            ),
            (
                request(&world, "GET /me").body("{}"),
                &[(
                    ProblemKind::UnexpectedBody,
                    "the request has a body of 2 bytes; expected no body",
                )],
            ),
        ] {
            assert_breaks(&request, expected);
        }
    }

    #[test]
    fn reports_violations_in_paths_under_every_dialect() {
        for (request, expected) in [
            (
                bare("GET /users/demo"),
                &[(
                    ProblemKind::UnknownPath,
                    "no endpoint has the path /api/v1/users/demo",
                )],
            ),
            (
                bare("PUT /me"),
                &[(
                    ProblemKind::MethodNotAllowed,
                    "method PUT is not allowed; expected GET",
                )],
            ),
            (
                Request::new("GET", "/api/v10/me"),
                &[(
                    ProblemKind::PathOutsideApi,
                    "no endpoint has the path /api/v10/me; every path starts with /api/v1",
                )],
            ),
            (
                Request::new("GET", "/me"),
                &[(
                    ProblemKind::PathOutsideApi,
                    "no endpoint has the path /me; every path starts with /api/v1",
                )],
            ),
        ] {
            assert_breaks(&request, expected);
        }
    }

    #[test]
    fn choices_of_the_service_are_not_violations() {
        let world = World::default();
        let link = r#"{"title": "x", "icon": "y"}"#;
        let twice = r#"{"bio": "x", "bio": "x"}"#;
        for request in [
            with_json(request(&world, "POST /me/links"), link),
            with_json(
                request(&world, "POST /me/links"),
                r#"{"title": "x", "url": "x"}"#,
            ),
            with_json(request(&world, "PATCH /me/links/link_1"), "{}"),
            with_json(request(&world, "POST /me/posts"), r#"{"title": "x"}"#),
            with_json(request(&world, "PATCH /me/profile"), twice),
            request(&world, "GET /users/demo/stats?days=7&days=7"),
            request(&world, "GET /users/nobody/stats"),
            request(&world, "DELETE /me/links/none"),
            bare("GET /me").header("Authorization", "Bearer wrong"),
            bare("GET /badges"),
        ] {
            assert_breaks(&request, &[]);
        }
    }

    #[test]
    fn a_violation_names_the_endpoint_without_the_key() {
        let mut world = World::default();
        let request = with_json(request(&world, "PATCH /me/links/link_1"), r#"{"title": 5}"#)
            .header("Authorization", world.keys().all);
        let processed = handle(&mut world, &request);
        let shown = serde_json::to_value(&processed.violations).unwrap();
        assert_eq!(
            shown[1],
            json!({
                "rule": "wrong_type",
                "section": "General",
                "requirement": "The body of a request is an object, and its fields are strings.",
                "found": "title is a number; expected a string",
                "field": "title",
                "method": "PATCH",
                "path": "/api/v1/me/links/{id}",
            })
        );
        assert!(!shown.to_string().contains(&world.keys().all));
    }

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

    /// Sends requests that cause every rejection of every endpoint.
    fn cause_every_rejection(world: &mut World, report: &mut Report) {
        let spent = world.create_key("demo", Scope::ALL);
        let window_seconds = NonZeroU32::MIN;
        let limit = RateLimit {
            limit: 0,
            window_seconds,
        };
        world.set_rate_limit(&spent, limit).unwrap();
        let none = world.keys().none;
        for &endpoint in Endpoint::ALL {
            let path = endpoint.path().replace("{handle}", "demo");
            let new = |path: &str| Request::new(endpoint.method(), path);
            let with_key = |path: &str, key: &str| {
                let request = new(path).header("Authorization", format!("Bearer {key}"));
                request.header("Content-Type", "application/json")
            };
            let all = |path: &str| with_key(path, &World::default().keys().all);
            let mut requests = vec![
                new(&path),
                with_key(&path, &none),
                with_key(&path, "wrong"),
                new(&path).header("Authorization", "Basic eDp5"),
                with_key(&path, &spent),
                all(&path).body(vec![b' '; 1024 * 1024 + 1]),
                all(&path).header("Content-Type", "text/plain"),
                all(&path).header("Content-Encoding", "gzip"),
            ];
            for body in [
                "",
                "{}",
                r#"{"x": "x"}"#,
                r#"{"bio": 5}"#,
                r#"{"title": 5}"#,
                r#"{"body": 5}"#,
                r#"{"body": "x", "body": "x"}"#,
                r#"{"url": "x"}"#,
                r#"{"title": "x"}"#,
                r##"{"accent_color": "#"}"##,
                r#"{"bio": "\n\n\n\n\n\n\n\n\n\n"}"#,
                r#"{"location": "1234567890123456789012345678901234567890x"}"#,
            ] {
                requests.push(all(&path).body(body));
            }
            for query in ["days=x", "days=0", "days=1&days=1"] {
                requests.push(all(&format!("{path}?{query}")));
            }
            requests.push(all(&format!("{path}?page=2")));
            requests.push(all(&path.replace("demo", "nobody")));
            for request in requests {
                report.record(&handle(world, &request), true);
            }
        }
        for (method, path) in [("PUT", "/api/v1/me"), ("GET", "/"), ("GET", "/api/v1")] {
            report.record(&handle(world, &Request::new(method, path)), true);
        }
    }

    #[test]
    fn automatic_requests_of_browsers_and_monitors_are_no_violations() {
        let preflight = || bare("OPTIONS /me").header("Access-Control-Request-Method", "PATCH");
        assert_breaks(&preflight(), &[]);
        assert_breaks(&bare("HEAD /me/posts"), &[]);
        assert_breaks(
            &bare("OPTIONS /me"),
            &[(
                ProblemKind::MethodNotAllowed,
                "method OPTIONS is not allowed; expected GET",
            )],
        );
    }

    #[test]
    fn reports_parameters_of_endpoints_without_parameters() {
        for (line, found) in [
            ("GET /badges?page=2&size=3", "page"),
            ("GET /stats?x", "x"),
            ("GET /stats?=", ""),
        ] {
            let mut world = World::default();
            assert_eq!(handle(&mut world, &bare(line)).reply.status, 200);
            let found =
                format!("the request has the query parameter {found}; expected no parameters");
            assert_breaks(
                &request(&world, line),
                &[(ProblemKind::UnexpectedParameter, &found)],
            );
        }
        assert_breaks(&request(&World::default(), "GET /badges?"), &[]);
        assert_breaks(&request(&World::default(), "GET /me?x=1"), &[]);
    }

    #[test]
    fn coverage_lists_exactly_the_possible_rejections() {
        let (mut world, mut report) = (World::default(), Report::default());
        cause_every_rejection(&mut world, &mut report);
        let uncovered = report.coverage.uncovered();
        assert_eq!(uncovered.rejections, [].into());
        assert!(uncovered.unrouted.is_empty());
        for &endpoint in Endpoint::ALL {
            let found: Vec<_> = report
                .coverage
                .endpoint(endpoint)
                .rejections
                .keys()
                .copied()
                .collect();
            let mut declared: Vec<_> = endpoint.rejections().collect();
            declared.sort_unstable();
            assert_eq!(found, declared, "{endpoint}");
        }
        let broken: Vec<_> = report.rules().map(|broken| broken.rule).collect();
        let rules = ProblemKind::ALL.iter().copied();
        let rules: Vec<_> = rules.filter(|kind| kind.section().is_some()).collect();
        assert_eq!(broken, rules);
    }

    #[test]
    fn coverage_counts_calls_and_lists_uncovered_endpoints() {
        let mut world = World::default();
        let mut report = Report::default();
        let rejected = with_json(request(&world, "POST /me/posts"), r#"{"text": "x"}"#);
        report.record(&handle(&mut world, &rejected), true);
        let request = request(&world, "GET /me");
        report.record(&handle(&mut world, &request), true);
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
