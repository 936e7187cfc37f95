//! The built-in receiver, which responds according to its script and needs no socket.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::delivery::DeliveryOutcome;
use super::script::{SinkResponse, SinkScript};

/// The status of a sink.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// server.webhook().use_sink("500 x9, 200", "whsec_test")?;
/// let sink = server.webhook().status()?.sink.unwrap();
/// assert_eq!((sink.script.to_string().as_str(), sink.received), ("500 x9, 200", 0));
/// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SinkStatus {
    /// The script of its responses.
    pub script: SinkScript,
    /// Number of deliveries received, which is the position in the script.
    pub received: u64,
}

impl SinkStatus {
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
