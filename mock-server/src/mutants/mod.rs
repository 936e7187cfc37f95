//! Mutants: services that break one sentence of the specification each, to test the test suite of a
//! client. A mutant changes requests, replies or deliveries; the engine does not depend on it.

mod changes;
mod table;

use http::HeaderMap;
use jiff::Timestamp;

use self::changes::Change;
use self::table::MUTANTS;
use crate::engine::{Processed, Request, World};

/// A service that breaks one sentence of the specification. `mock-server mutants` runs the test suite
/// of a client against each mutant: a suite that still passes does not test the sentence.
///
/// ```
/// use mock_server::{Mutant, World, Worlds};
///
/// let mutant = Mutant::all().find(|mutant| mutant.name() == "me_without_email").unwrap();
/// assert!(mutant.sentence().starts_with("`GET /me` returns the public profile"));
/// let mut worlds = Worlds::in_memory(World::default());
/// worlds.set_mutant(mutant);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Mutant(&'static str, &'static str, Change);

impl Mutant {
    /// Returns all mutants, in the order of the specification.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        MUTANTS.iter().copied()
    }

    /// Returns the name, in snake case.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns the sentence of the specification that the mutant breaks. Rows of tables are quoted as
    /// `first column: other columns`.
    pub fn sentence(self) -> &'static str {
        self.1
    }

    /// Handles a request in place of the engine.
    pub(crate) fn process(self, world: &mut World, request: &Request, now: Timestamp) -> Processed {
        self.2.process(world, request, now)
    }

    /// Changes the headers and the body of a delivery.
    pub(crate) fn change_delivery(self, headers: &mut HeaderMap, body: &mut Vec<u8>) {
        if let Change::Delivery(change) = self.2 {
            change(headers, body);
        }
    }

    /// Returns the number of failures in a row that turns the webhook off, if the mutant changes it.
    pub(crate) fn failure_limit(self) -> Option<u32> {
        let Change::FailureLimit(limit) = self.2 else {
            return None;
        };
        Some(limit)
    }
}
