//! The webhook in its world, whose clock and counter it follows.

use super::delivery::{Delivery, DeliveryOutcome, NotSent, SignedDelivery};
use super::event::EventData;
use super::receiver_url::ReceiverUrl;
use super::secret::WebhookSecret;
use super::state::{Prepared, Webhook};
use crate::engine::{EventKind, World};

impl World {
    /// Points the webhook at a receiver, as
    /// [`WebhookHandle::point_at`](crate::WebhookHandle::point_at) does in a server that runs.
    ///
    /// ```
    /// use mock_server::{WebhookSecret, World};
    ///
    /// let mut world = World::new(0);
    /// let secret = WebhookSecret::new("whsec_test")?;
    /// world.point_webhook_at("http://127.0.0.1:8080/hooks".parse()?, secret);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn point_webhook_at(&mut self, url: ReceiverUrl, secret: WebhookSecret) {
        self.webhook.point_at(url, secret);
    }

    /// The world as it may be shown: without the webhook, which holds its secret.
    pub(crate) fn without_webhook(mut self) -> Self {
        self.webhook = Webhook::default();
        self
    }

    /// Keeps the webhook of the world that this one replaces, unless it brings one along.
    pub(crate) fn keep_webhook_of(&mut self, replaced: Self) {
        if self.webhook.is_new() && !replaced.webhook.is_new() {
            // The numbers of later deliveries have to differ from those in the log.
            self.count_on_from(&replaced);
            self.webhook = replaced.webhook;
        }
    }

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
