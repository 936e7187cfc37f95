//! What of the service a client's suite has touched, and what it never has.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::engine::endpoints::Endpoint;
use crate::engine::event_kind::EventKind;
use crate::engine::outcome::Outcome;

/// Which endpoints were called, which rejections were met and which events were sent.
///
/// As JSON it is an object with `endpoints` (a list of [`EndpointCoverage`]), `unrouted` (how often
/// each refusal of a request was met that meant no endpoint), `events` (how often each kind was
/// sent) and `uncovered` (an [`Uncovered`]).
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
    endpoints: [EndpointCoverage; Endpoint::ALL.len()],
    unrouted: BTreeMap<&'static str, u64>,
    events: BTreeMap<EventKind, u64>,
}

/// What one endpoint was seen to do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct EndpointCoverage {
    /// Which endpoint it is.
    pub endpoint: Endpoint,
    /// How many requests meant it.
    pub calls: u64,
    /// How many of them were answered with a 2xx.
    pub successes: u64,
    /// How often each refusal was met, by its code; 0 for one that never was.
    pub rejections: BTreeMap<&'static str, u64>,
}

/// Everything that a suite has not touched.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Uncovered {
    /// The endpoints that never answered with a 2xx.
    pub endpoints: Vec<Endpoint>,
    /// The rejections that were never met, by their codes, for each endpoint that has one.
    pub rejections: BTreeMap<Endpoint, Vec<&'static str>>,
    /// The rejections of requests that mean no endpoint, by their codes.
    pub unrouted: Vec<&'static str>,
    /// The kinds of events that were never sent.
    pub events: Vec<EventKind>,
}

impl Coverage {
    /// Counts the outcome of a request.
    pub(crate) fn record(&mut self, outcome: &Outcome) {
        let Some(endpoint) = outcome.endpoint else {
            if let Some(code) = outcome.rejection {
                *self.unrouted.entry(code).or_default() += 1;
            }
            return;
        };
        let covered = &mut self.endpoints[endpoint as usize];
        covered.calls += 1;
        covered.successes += u64::from((200..300).contains(&outcome.reply.status));
        if let Some(code) = outcome.rejection {
            *covered.rejections.entry(code).or_default() += 1;
        }
    }

    /// Counts an event that was sent, if it is one of the seven kinds.
    pub(crate) fn record_event(&mut self, kind: &EventKind) {
        if let Some(count) = self.events.get_mut(kind) {
            *count += 1;
        }
    }

    /// What one endpoint was seen to do.
    ///
    /// ```
    /// use mock_server::{Coverage, Endpoint};
    /// assert_eq!(Coverage::default().endpoint(Endpoint::ReadMe).calls, 0);
    /// ```
    pub fn endpoint(&self, endpoint: Endpoint) -> &EndpointCoverage {
        &self.endpoints[endpoint as usize]
    }

    /// What was never touched. Under other dialects than the default some of it cannot be.
    ///
    /// ```
    /// use mock_server::{Coverage, Endpoint};
    ///
    /// let uncovered = Coverage::default().uncovered();
    /// assert_eq!(uncovered.endpoints, Endpoint::ALL);
    /// assert!(uncovered.rejections[&Endpoint::EditProfile].contains(&"unknown_field"));
    /// ```
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

fn uncovered<K: Clone>(counts: &BTreeMap<K, u64>) -> Vec<K> {
    let uncounted = counts.iter().filter(|(_, count)| **count == 0);
    uncounted.map(|(name, _)| name.clone()).collect()
}

impl Default for Coverage {
    /// Nothing was touched.
    fn default() -> Self {
        Self {
            endpoints: Endpoint::ALL.map(|endpoint| EndpointCoverage {
                endpoint,
                calls: 0,
                successes: 0,
                rejections: endpoint.rejections().map(|code| (code, 0)).collect(),
            }),
            unrouted: ["method_not_allowed", "unknown_path"]
                .map(|code| (code, 0))
                .into(),
            events: EventKind::ALL.map(|kind| (kind, 0)).into(),
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
