//! A delivery in three steps, of which only the second waits for the network: the state machine
//! decides, the bytes are sent, the outcome is recorded. The world is not locked while sending.

use std::time::Duration;

use super::delivery::{Delivery, DeliveryOutcome, SignedDelivery};
use super::receiver_url::ReceiverUrl;
use super::send::send;

/// A delivery that the state machine has let through.
pub(crate) enum Dispatch {
    /// The sink has answered already.
    Delivered(Delivery),
    Pending(PendingDelivery),
}

/// A delivery that is to be sent.
pub(crate) struct PendingDelivery {
    pub(super) delivery: SignedDelivery,
    pub(super) url: ReceiverUrl,
    pub(super) timeout: Duration,
}

/// A delivery whose outcome is to be recorded.
pub(crate) struct SentDelivery {
    pub(super) delivery: SignedDelivery,
    pub(super) outcome: DeliveryOutcome,
}

impl PendingDelivery {
    pub(crate) async fn send(self) -> SentDelivery {
        let outcome = send(&self.delivery, &self.url, self.timeout).await;
        let delivery = self.delivery;
        SentDelivery { delivery, outcome }
    }
}
