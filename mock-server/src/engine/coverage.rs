//! The coverage of the service by a client: calls, rejections and events.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::webhook::EventKind;
use super::{Endpoint, Processed, UNROUTED};

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
    pub(super) fn record(&mut self, processed: &Processed, is_received: bool) {
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
    use serde_json::json;

    use crate::engine::endpoints::Endpoint;
    use crate::engine::processed::tests::{handle, request, with_json};
    use crate::engine::report::Report;
    use crate::engine::webhook::EventKind;
    use crate::engine::world::World;

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
}
