//! A delivery in three steps, of which only the second waits for the network: the state machine
//! decides, the bytes are sent, the outcome is recorded. The world is nobody's meanwhile.

use std::time::Duration;

use super::delivery::{Delivery, DeliveryOutcome, NotSent, SignedDelivery};
use super::error::WebhookError;
use super::event::EventData;
use super::receiver_url::ReceiverUrl;
use super::send::send;
use super::state::Prepared;
use crate::engine::{EventKind, World};
use crate::service::Service;
use crate::state_error::StateError;

/// A delivery that the state machine has let through.
pub(crate) enum Begun {
    /// The sink has answered already.
    Delivered(Delivery),
    ToSend(Ready),
}

/// A delivery that is to be sent.
pub(crate) struct Ready {
    delivery: SignedDelivery,
    url: ReceiverUrl,
    timeout: Duration,
}

/// A delivery whose outcome is to be recorded.
pub(crate) struct Sent {
    delivery: SignedDelivery,
    outcome: DeliveryOutcome,
}

impl Ready {
    pub(crate) async fn send(self) -> Sent {
        let outcome = send(&self.delivery, &self.url, self.timeout).await;
        let delivery = self.delivery;
        Sent { delivery, outcome }
    }
}

impl Service {
    pub(crate) fn begin_event(&self, kind: &str, data: EventData) -> Result<Begun, WebhookError> {
        let kind = EventKind::new(kind)?;
        self.begin_delivery(|world| world.emit(kind, data))
    }

    pub(crate) fn begin_redelivery(&self, delivery_id: &str) -> Result<Begun, WebhookError> {
        self.begin_delivery(|world| world.redeliver(delivery_id))
    }

    fn begin_delivery(
        &self,
        prepare: impl FnOnce(&mut World) -> Result<Prepared, NotSent>,
    ) -> Result<Begun, WebhookError> {
        let (prepared, timeout) = self.store().transact(|world| {
            let prepared = prepare(world);
            let changed = prepared.is_ok();
            ((prepared, world.dialect().webhook_timeout), changed)
        })?;
        Ok(match prepared? {
            Prepared::Delivered(delivery) => {
                self.cover(&delivery);
                Begun::Delivered(delivery)
            }
            Prepared::ToSend(delivery, url) => Begun::ToSend(Ready {
                delivery,
                url,
                timeout,
            }),
        })
    }

    pub(crate) fn finish_delivery(&self, sent: Sent) -> Result<Delivery, StateError> {
        let Sent { delivery, outcome } = sent;
        let record = |world: &mut World| (world.record_delivery(delivery, outcome), true);
        let delivery = self.store().transact(record)?;
        self.cover(&delivery);
        Ok(delivery)
    }

    /// A delivery that failed was sent all the same.
    fn cover(&self, delivery: &Delivery) {
        self.change_verdicts(|verdicts| verdicts.coverage.record_event(&delivery.sent.kind));
    }
}
