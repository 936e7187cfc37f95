//! Passes replies that wiremock cannot send from the service to the proxy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::HeaderMap;

use crate::faults::PlannedReply;

/// The header with the number of a reply. The proxy removes it.
pub(super) const HEADER: &str = "x-mock-server-proxy";

/// The replies that the proxy sends instead of wiremock's, by number.
#[derive(Debug, Default)]
pub(crate) struct Handover(Mutex<Pending>);

#[derive(Debug, Default)]
struct Pending {
    last_number: u64,
    replies: HashMap<u64, PlannedReply>,
}

impl Handover {
    /// Stores a reply for the proxy and returns the value of the header that identifies it.
    pub(super) fn put(&self, planned: PlannedReply) -> String {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.last_number += 1;
        let number = pending.last_number;
        pending.replies.insert(number, planned);
        number.to_string()
    }

    /// Removes the reply that a response of wiremock refers to.
    pub(super) fn take(&self, headers: &HeaderMap) -> Option<PlannedReply> {
        let number = headers.get(HEADER)?.to_str().ok()?.parse().ok()?;
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.replies.remove(&number)
    }
}
