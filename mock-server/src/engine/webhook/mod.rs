//! The webhook of a world: a state machine that prepares, signs and counts deliveries.

mod delivery;
mod receiver;

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::delivery::{payload, sign};
use crate::engine::Dialect;

pub(crate) use delivery::WebhookSecret;
pub use delivery::{Delivery, DeliveryOutcome, EventData, EventKind, SignedDelivery};
pub(crate) use receiver::ReceiverUrl;
pub use receiver::{BuiltInReceiver, ReceiverScript};

/// Number of consecutive failed deliveries after which a webhook is turned off (section States and
/// transitions of the specification).
pub const MAX_CONSECUTIVE_FAILURES: u32 = 10;

/// Limits of the log of deliveries, in entries and bytes of bodies; the oldest are dropped first.
const MAX_LOG_ENTRIES: usize = 1_000;
const MAX_LOG_BYTES: usize = 4 * 1024 * 1024;

/// The webhook of a world. Its serialized form contains the secret and is only for state files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Webhook {
    destination: Option<Destination>,
    active: bool,
    consecutive_failures: u32,
    deliveries: VecDeque<Delivery>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Destination {
    secret: WebhookSecret,
    receiver: Receiver,
}

/// The receiver of deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Receiver {
    Url(ReceiverUrl),
    #[serde(alias = "sink")]
    BuiltIn(BuiltInReceiver),
}

/// A delivery to make.
pub(crate) enum NewDelivery {
    /// An event.
    Event(EventKind, EventData),
    /// The delivery with this ID again, with the same headers and body, for the current receiver.
    Redelivery(String),
}

/// A prepared delivery.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// The built-in receiver has already responded.
    Delivered(Delivery),
    /// The delivery has to be sent and its outcome recorded.
    Pending(PendingDelivery),
}

/// A delivery to send. The world is not locked while it is sent.
#[derive(Debug)]
pub(crate) struct PendingDelivery {
    pub(crate) delivery: SignedDelivery,
    pub(crate) url: ReceiverUrl,
    pub(crate) timeout: Duration,
}

impl Webhook {
    /// Sets the receiver and resets the count of failures. The log is kept.
    pub(crate) fn set_receiver(&mut self, receiver: Receiver, secret: WebhookSecret) {
        self.destination = Some(Destination { secret, receiver });
        self.turn_on();
    }

    /// Signs a delivery, and passes it to the built-in receiver or returns it for a URL. `id` and `now` come from
    /// the world.
    pub(in crate::engine) fn prepare(
        &mut self,
        new: NewDelivery,
        id: impl FnOnce() -> String,
        now: String,
        dialect: &Dialect,
    ) -> Result<Prepared, NotSent> {
        let Destination { secret, receiver } = self.active_destination()?;
        let receiver_name = receiver.name();
        let sent = match new {
            NewDelivery::Event(kind, data) => {
                let (content_type, body) = payload(&kind, &now, data, dialect.webhook_payload);
                SignedDelivery {
                    id: id(),
                    created_at: now,
                    receiver: receiver_name,
                    redelivery_of: None,
                    kind,
                    signature: sign(secret, &body, dialect.webhook_signature_encoding),
                    content_type: content_type.to_owned(),
                    body,
                }
            }
            NewDelivery::Redelivery(earlier) => {
                let found = self.deliveries().find(|one| one.sent.id == earlier);
                let Some(Delivery { sent, .. }) = found.cloned() else {
                    return Err(NotSent::UnknownDelivery { id: earlier });
                };
                SignedDelivery {
                    id: id(),
                    created_at: now,
                    receiver: receiver_name,
                    redelivery_of: Some(earlier),
                    ..sent
                }
            }
        };
        let timeout = dialect.webhook_timeout.0;
        match &mut self.active_destination()?.receiver {
            Receiver::Url(url) => Ok(Prepared::Pending(PendingDelivery {
                url: url.clone(),
                delivery: sent,
                timeout,
            })),
            Receiver::BuiltIn(receiver) => {
                let outcome = receiver.take(timeout);
                let delivery = Delivery { sent, outcome };
                self.record(&delivery);
                Ok(Prepared::Delivered(delivery))
            }
        }
    }

    /// Returns an error if the webhook is off or has no receiver.
    fn active_destination(&mut self) -> Result<&mut Destination, NotSent> {
        let destination = self.destination.as_mut().ok_or(NotSent::NoReceiver)?;
        if !self.active {
            return Err(NotSent::Off {
                consecutive_failures: self.consecutive_failures,
            });
        }
        Ok(destination)
    }

    /// Records the outcome of a delivery. The tenth consecutive failure turns the webhook off; a success
    /// resets the count but does not turn the webhook on.
    pub(crate) fn record(&mut self, delivery: &Delivery) {
        if delivery.is_success() {
            self.consecutive_failures = 0;
        } else {
            self.consecutive_failures = self.consecutive_failures.saturating_add(1);
            self.active &= self.consecutive_failures < MAX_CONSECUTIVE_FAILURES;
        }
        self.deliveries.push_back(delivery.clone());
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let bodies = self.deliveries.iter();
        let mut bytes: usize = bodies.map(|delivery| delivery.sent.body.len()).sum();
        while self.deliveries.len() > MAX_LOG_ENTRIES
            || (bytes > MAX_LOG_BYTES && self.deliveries.len() > 1)
        {
            let forgotten = self.deliveries.pop_front();
            bytes -= forgotten.map_or(0, |delivery| delivery.sent.body.len());
        }
    }

    /// Returns the secret, if a receiver is set.
    pub(crate) fn secret(&self) -> Option<&WebhookSecret> {
        self.destination.as_ref().map(|to| &to.secret)
    }

    /// Returns `true` if the webhook has never been used.
    pub(crate) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// Turns the webhook on or off, as if this number of failures in a row turned it off.
    pub(crate) fn limit_failures(&mut self, limit: u32) {
        self.active = self.consecutive_failures < limit;
    }

    /// Turns the webhook on and resets the count of failures.
    pub(crate) fn turn_on(&mut self) {
        self.active = true;
        self.consecutive_failures = 0;
    }

    /// Returns the logged deliveries, oldest first.
    pub(crate) fn deliveries(&self) -> impl Iterator<Item = &Delivery> {
        self.deliveries.iter()
    }

    /// Returns the status, without the secret.
    pub(crate) fn status(&self) -> WebhookStatus {
        let receiver = self.destination.as_ref().map(|to| &to.receiver);
        WebhookStatus {
            receiver: receiver.map(Receiver::name),
            active: self.active && receiver.is_some(),
            consecutive_failures: self.consecutive_failures,
            built_in: match receiver {
                Some(Receiver::BuiltIn(built_in)) => Some(built_in.clone()),
                Some(Receiver::Url(_)) | None => None,
            },
        }
    }
}

impl Receiver {
    pub(crate) fn built_in(script: ReceiverScript) -> Self {
        let received = 0;
        Self::BuiltIn(BuiltInReceiver { script, received })
    }

    fn name(&self) -> String {
        match self {
            Self::Url(url) => url.clone().into(),
            Self::BuiltIn(_) => "built_in".to_owned(),
        }
    }
}

impl Default for Webhook {
    /// Returns a webhook without a receiver.
    fn default() -> Self {
        Self {
            destination: None,
            active: true,
            consecutive_failures: 0,
            deliveries: VecDeque::new(),
        }
    }
}

/// The status of a webhook, without its secret.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// server.webhook().use_built_in_receiver("500 x9, 200", "whsec_test")?;
/// let status = server.webhook().status()?;
/// assert_eq!(status.receiver.as_deref(), Some("built_in"));
/// assert!(status.active);
/// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WebhookStatus {
    /// The URL of the receiver, or `built_in`; `None` without a receiver.
    pub receiver: Option<String>,
    /// `true` if the webhook is on and has a receiver.
    pub active: bool,
    /// Number of failures since the last success.
    pub consecutive_failures: u32,
    /// The built-in receiver, if it is used.
    pub built_in: Option<BuiltInReceiver>,
}

/// The reason why a webhook does not send a delivery.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSent {
    /// The webhook has no receiver.
    #[error("the webhook has no receiver; set a URL or the script of the built-in receiver")]
    NoReceiver,
    /// The webhook was turned off by failed deliveries.
    #[error(
        "the webhook is off after {consecutive_failures} consecutive failed deliveries; turn it \
         on again"
    )]
    Off {
        /// Number of consecutive failures.
        consecutive_failures: u32,
    },
    /// The log does not contain a delivery with this ID.
    #[error("unknown delivery {id:?}; the log does not contain it")]
    UnknownDelivery {
        /// The ID.
        id: String,
    },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn on_built_in_receiver(script: &str) -> Webhook {
        let mut webhook = Webhook::default();
        let secret = WebhookSecret::new("canary").unwrap();
        webhook.set_receiver(Receiver::built_in(script.parse().unwrap()), secret);
        webhook
    }

    fn emit(webhook: &mut Webhook, body: Vec<u8>) -> Result<Delivery, NotSent> {
        let id = format!("delivery_{}", webhook.deliveries.len());
        let now = "2026-03-01T12:00:00Z".to_owned();
        let new = NewDelivery::Event(EventKind::POST_LIKED, body.into());
        match webhook.prepare(new, || id, now, &Dialect::default())? {
            Prepared::Delivered(delivery) => Ok(delivery),
            Prepared::Pending(_) => panic!("the built-in receiver needs no sending"),
        }
    }

    #[test]
    fn the_log_is_limited_in_entries_and_bytes() {
        let mut webhook = on_built_in_receiver("200");
        for _ in 0..MAX_LOG_ENTRIES + 5 {
            emit(&mut webhook, Vec::new()).unwrap();
        }
        assert_eq!(webhook.deliveries.len(), MAX_LOG_ENTRIES);
        emit(&mut webhook, vec![b'a'; MAX_LOG_BYTES]).unwrap();
        assert_eq!(webhook.deliveries.len(), MAX_LOG_ENTRIES);
        emit(&mut webhook, vec![b'a'; MAX_LOG_BYTES + 1]).unwrap();
        assert_eq!(webhook.deliveries.len(), 1);
    }

    #[test]
    fn a_success_resets_the_count() {
        let mut webhook = on_built_in_receiver("500 x9, 200, timeout x9, 204, 404");
        let expected = (1..=9).chain([0]).chain(1..=9).chain([0]);
        for count in expected.chain(1..=10) {
            assert!(webhook.status().active);
            emit(&mut webhook, Vec::new()).unwrap();
            assert_eq!(webhook.status().consecutive_failures, count);
        }
        assert!(!webhook.status().active);
    }

    #[test]
    fn a_late_success_resets_the_count_but_does_not_turn_the_webhook_on() {
        let mut webhook = on_built_in_receiver("500");
        let mut last = None;
        for _ in 0..10 {
            last = Some(emit(&mut webhook, Vec::new()).unwrap());
        }
        webhook.record(&Delivery {
            outcome: DeliveryOutcome::Responded { status: 200 },
            ..last.unwrap()
        });
        assert_eq!(webhook.status().consecutive_failures, 0);
        assert!(!webhook.status().active);
    }

    #[test]
    fn survives_serialization_and_debug_hides_the_secret() {
        let mut webhook = on_built_in_receiver("timeout x2, 200");
        emit(&mut webhook, b"\xff".to_vec()).unwrap();
        let text = serde_json::to_string(&webhook).unwrap();
        assert_eq!(serde_json::from_str::<Webhook>(&text).unwrap(), webhook);
        assert!(!format!("{webhook:?}").contains("canary"));
        let status = json!(webhook.status());
        assert_eq!(
            status,
            json!({
                "receiver": "built_in",
                "active": true,
                "consecutive_failures": 1,
                "built_in": {"script": "timeout x2, 200", "received": 1},
            })
        );
    }
}
