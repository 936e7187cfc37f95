//! The coverage of the service by its clients.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::engine::endpoints::{Endpoint, UNROUTED};
use crate::engine::processed::Processed;
use crate::engine::webhook::EventKind;

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
/// let coverage = server.verdicts().coverage;
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
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct EndpointCoverage {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The number of requests.
    pub calls: u64,
    /// The number of responses with a 2xx status code.
    pub successes: u64,
    /// The number of rejections by code, including codes that did not occur.
    pub rejections: BTreeMap<&'static str, u64>,
}

/// The parts of the service that are not covered.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
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
    pub(crate) fn record(&mut self, processed: &Processed) {
        let Some(endpoint) = processed.endpoint else {
            if let Some(code) = processed.rejection {
                *self.unrouted.entry(code.as_str()).or_default() += 1;
            }
            return;
        };
        let covered = &mut self.endpoints[endpoint as usize];
        covered.calls += 1;
        covered.successes += u64::from((200..300).contains(&processed.reply.status));
        if let Some(code) = processed.rejection {
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
