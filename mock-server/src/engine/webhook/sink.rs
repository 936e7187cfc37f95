//! The built-in receiver, which responds according to its script and needs no socket.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::delivery::DeliveryOutcome;
use super::script::{SinkResponse, SinkScript};

/// A built-in receiver and its position in its script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sink {
    pub(super) script: SinkScript,
    /// Number of deliveries received.
    pub(super) received: u64,
}

impl Sink {
    pub(super) fn new(script: SinkScript) -> Self {
        let received = 0;
        Self { script, received }
    }

    /// Receives one delivery. A timeout takes effect immediately.
    pub(super) fn take(&mut self, timeout: Duration) -> DeliveryOutcome {
        let response = self.script.response_after(self.received);
        self.received += 1;
        match response {
            SinkResponse::Status(status) => DeliveryOutcome::Responded { status },
            SinkResponse::TimeOut => DeliveryOutcome::timed_out(timeout),
        }
    }
}
