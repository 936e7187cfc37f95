//! A delivery has three steps: prepare it, send it, record its outcome. The world is not locked while
//! sending.

use std::time::Duration;

use super::delivery::{Delivery, DeliveryOutcome, SignedDelivery};
use super::receiver_url::ReceiverUrl;
use super::send::send;
use crate::mutants::Mutant;

/// A delivery that was prepared.
pub(crate) enum Dispatch {
    /// The sink has already responded.
    Delivered(Delivery),
    Pending(PendingDelivery),
}

/// A delivery to send.
pub(crate) struct PendingDelivery {
    pub(super) delivery: SignedDelivery,
    pub(super) url: ReceiverUrl,
    pub(super) timeout: Duration,
    pub(super) mutant: Option<&'static Mutant>,
}

/// A delivery whose outcome has to be recorded.
pub(crate) struct SentDelivery {
    pub(super) delivery: SignedDelivery,
    pub(super) outcome: DeliveryOutcome,
}

impl PendingDelivery {
    pub(crate) async fn send(self) -> SentDelivery {
        let outcome = send(&self).await;
        let delivery = self.delivery;
        SentDelivery { delivery, outcome }
    }
}
