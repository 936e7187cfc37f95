//! The built-in receiver, which answers by its script and needs no socket.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::delivery::DeliveryOutcome;
use super::script::{SinkResponse, SinkScript};

/// A receiver that is at some place of its script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sink {
    pub(super) script: SinkScript,
    /// How many deliveries it has had.
    pub(super) received: u64,
}

impl Sink {
    pub(super) fn new(script: SinkScript) -> Self {
        let received = 0;
        Self { script, received }
    }

    /// Takes one delivery. What times out does so at once, as if `timeout` had passed.
    pub(super) fn take(&mut self, timeout: Duration) -> DeliveryOutcome {
        let response = self.script.response_after(self.received);
        self.received += 1;
        match response {
            SinkResponse::Status(status) => DeliveryOutcome::Answered { status },
            SinkResponse::TimeOut => DeliveryOutcome::timed_out(timeout),
        }
    }
}
