//! Answers that wiremock cannot send, on their way from the service to the front.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::HeaderMap;

use crate::faults::PlannedReply;

/// The header by which the front finds an answer here. It never leaves the front.
pub(super) const HEADER: &str = "x-mock-server-front";

/// The answers that the front sends in place of wiremock's, by number.
#[derive(Debug, Default)]
pub(crate) struct Handover(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    last_number: u64,
    answers: HashMap<u64, PlannedReply>,
}

impl Handover {
    /// Keeps an answer for the front and returns the value of the header that leads to it.
    pub(super) fn put(&self, planned: PlannedReply) -> String {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last_number += 1;
        let number = waiting.last_number;
        waiting.answers.insert(number, planned);
        number.to_string()
    }

    /// Takes the answer that a response of wiremock leads to.
    pub(super) fn take(&self, headers: &HeaderMap) -> Option<PlannedReply> {
        let number = headers.get(HEADER)?.to_str().ok()?.parse().ok()?;
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.answers.remove(&number)
    }
}
