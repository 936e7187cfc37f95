//! The change that a mutant makes.

use http::HeaderMap;
use jiff::Timestamp;
use serde_json::Value;

use super::replies::edit_body;
use crate::engine::{Endpoint, Outcome, ProfileField, Request, World, process};

/// The change that a mutant makes.
pub(super) enum Change {
    /// Changes requests before the engine handles them.
    Request(fn(&World, &mut Request)),
    /// Changes the value of a field in edits of the profile.
    Field(&'static ProfileField, fn(&mut Request, &ProfileField)),
    /// Changes the body of successful replies of these endpoints.
    Reply(&'static [Endpoint], fn(&mut Value)),
    /// Handles requests in place of the engine.
    Process(fn(&mut World, &Request, Timestamp) -> Outcome),
    /// Changes the headers and the body of a delivery before it is sent.
    Delivery(fn(&mut HeaderMap, &mut Vec<u8>)),
    /// Turns the webhook off after this number of failures in a row.
    FailureLimit(u32),
}

impl Change {
    pub(super) fn process(&self, world: &mut World, request: &Request, now: Timestamp) -> Outcome {
        match self {
            Self::Request(change) => {
                let mut request = request.clone();
                change(world, &mut request);
                process(world, &request, now)
            }
            Self::Field(field, change) => {
                let mut request = request.clone();
                change(&mut request, field);
                process(world, &request, now)
            }
            Self::Reply(endpoints, change) => {
                let mut outcome = process(world, request, now);
                if outcome.endpoint.is_some_and(|one| endpoints.contains(&one)) {
                    edit_body(&mut outcome, change);
                }
                outcome
            }
            Self::Process(process) => process(world, request, now),
            Self::Delivery(_) | Self::FailureLimit(_) => process(world, request, now),
        }
    }
}
