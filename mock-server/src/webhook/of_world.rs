//! The webhook in its world, whose clock and counter it follows.

use super::delivery::{Delivery, DeliveryOutcome, NotSent, SignedDelivery};
use super::event::EventData;
use super::state::Prepared;
use crate::engine::EventKind;
use crate::engine::World;

impl World {
    pub(super) fn emit(&mut self, kind: EventKind, data: EventData) -> Result<Prepared, NotSent> {
        // A number is taken for what is sent alone: a refused event leaves the world as it was.
        self.webhook.check_open()?;
        let (id, now) = self.next_delivery();
        let dialect = self.dialect().clone();
        self.webhook.emit(id, now, (kind, data), &dialect)
    }

    pub(super) fn redeliver(&mut self, earlier: &str) -> Result<Prepared, NotSent> {
        self.webhook.check_open()?;
        self.webhook.delivery(earlier)?;
        let (id, now) = self.next_delivery();
        let dialect = self.dialect().clone();
        self.webhook.redeliver(id, now, earlier, &dialect)
    }

    pub(super) fn record_delivery(
        &mut self,
        sent: SignedDelivery,
        outcome: DeliveryOutcome,
    ) -> Delivery {
        self.webhook.record(sent, outcome)
    }

    fn next_delivery(&mut self) -> (String, String) {
        let id = format!("delivery_{}", self.next_number());
        (id, self.clock().now())
    }
}
