//! A handle to the webhook of a server.

use super::error::Error;
use super::send::send;
use crate::engine::webhook::{
    Delivery, EventData, Prepared, Receiver, Refusal, WebhookSecret, WebhookStatus,
};
use crate::engine::{EventKind, World};
use crate::mutants::Mutant;
use crate::service::{Service, StateError};

/// The webhook of a service; see
/// [`ServiceHandle::webhook`](crate::ServiceHandle::webhook).
///
/// Events are sent only by [`emit`](Self::emit), once and without retries. A delivery fails unless the
/// receiver responds with 2xx within 10 seconds (or
/// [`Dialect::webhook_timeout`](crate::Dialect::webhook_timeout)).
/// Ten consecutive failures turn the webhook off; a success resets the count.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use mock_server::MockServer;
/// use mock_server::webhook::EventKind;
/// use serde_json::json;
///
/// let server = MockServer::start().await;
/// let webhook = server.webhook();
/// webhook.use_sink("500 x10, 200", "whsec_test")?;
/// for _ in 0..10 {
///     webhook.emit(EventKind::FOLLOW_CREATED, json!({"from": "grace"})).await?;
/// }
/// assert!(!webhook.is_active()?);
/// let error = webhook.emit(EventKind::FOLLOW_CREATED, json!({})).await.unwrap_err();
/// assert_eq!(error.code(), "webhook_off");
///
/// webhook.turn_on()?;
/// let first = &webhook.deliveries()?[0];
/// assert!(webhook.redeliver(&first.sent.id).await?.is_success());
/// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WebhookHandle<'a> {
    service: &'a Service,
}

impl<'a> WebhookHandle<'a> {
    pub(crate) fn new(service: &'a Service) -> Self {
        Self { service }
    }

    /// Sends future events to this URL, signed with this secret. Turns the webhook on and resets its
    /// count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] unless `url` is an absolute `http://` URL and the secret is not empty,
    /// and [`Error::State`] if the state file fails.
    pub fn set_receiver(&self, url: &str, secret: impl Into<Vec<u8>>) -> Result<(), Error> {
        let receiver = Receiver::Url(url.parse()?);
        let secret = WebhookSecret::new(secret)?;
        Ok(self.change(|world| world.webhook.set_receiver(receiver, secret))?)
    }

    /// Sends future events to the built-in sink, which responds according to a
    /// [`SinkScript`](crate::webhook::SinkScript) and needs no socket. Turns the webhook on and resets
    /// its count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] if the script is invalid or the secret is empty, and [`Error::State`]
    /// if the state file fails.
    pub fn use_sink(&self, script: &str, secret: impl Into<Vec<u8>>) -> Result<(), Error> {
        let receiver = Receiver::sink(script.parse()?);
        let secret = WebhookSecret::new(secret)?;
        Ok(self.change(|world| world.webhook.set_receiver(receiver, secret))?)
    }

    /// Sends one event and returns its outcome; a failed delivery is not an error. `kind` is an
    /// [`EventKind`](crate::webhook::EventKind) or any name that is
    /// valid in a header; `data` is JSON or the whole body as bytes. The event counts as covered in the
    /// [verdicts](crate::ServiceHandle::verdicts).
    ///
    /// Sending to a URL requires a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Refused`] if the webhook is off or has no receiver, [`Error::Invalid`] if the
    /// name is not valid in a header, and [`Error::State`] if the state file fails.
    pub async fn emit(
        &self,
        kind: impl AsRef<str>,
        data: impl Into<EventData>,
    ) -> Result<Delivery, Error> {
        self.deliver(self.prepare_event(kind.as_ref(), data.into())?)
            .await
    }

    /// Sends the body and headers of an earlier delivery again, to the current receiver. The new
    /// delivery has its own id.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`emit`](Self::emit), and [`Error::Refused`] if the log does not contain the
    /// delivery.
    pub async fn redeliver(&self, delivery_id: &str) -> Result<Delivery, Error> {
        self.deliver(self.prepare_redelivery(delivery_id)?).await
    }

    /// Turns the webhook on and resets its count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn turn_on(&self) -> Result<(), Error> {
        Ok(self.change(|world| world.webhook.turn_on())?)
    }

    /// Returns the latest deliveries, oldest first: at most 1,000, and at most 4 MiB of bodies.
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn deliveries(&self) -> Result<Vec<Delivery>, Error> {
        Ok(self.read(|world| world.webhook.deliveries().cloned().collect())?)
    }

    /// Returns the status of the webhook, without its secret.
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn status(&self) -> Result<WebhookStatus, Error> {
        Ok(self.read(|world| world.webhook.status())?)
    }

    /// Returns the number of failures since the last success; see [`status`](Self::status).
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn consecutive_failures(&self) -> Result<u32, Error> {
        Ok(self.status()?.consecutive_failures)
    }

    /// Returns `true` if the webhook is on and has a receiver; see [`status`](Self::status).
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn is_active(&self) -> Result<bool, Error> {
        Ok(self.status()?.active)
    }

    pub(crate) fn prepare_event(&self, kind: &str, data: EventData) -> Result<Prepared, Error> {
        let kind = EventKind::new(kind)?;
        self.prepare(|world| world.prepare_event(kind, data))
    }

    pub(crate) fn prepare_redelivery(&self, delivery_id: &str) -> Result<Prepared, Error> {
        self.prepare(|world| world.prepare_redelivery(delivery_id))
    }

    fn prepare(
        &self,
        prepare: impl FnOnce(&mut World) -> Result<Prepared, Refusal>,
    ) -> Result<Prepared, Error> {
        let prepared = self.service.store.transact(|world| {
            let prepared = prepare(world);
            self.apply_mutant(world);
            let changed = prepared.is_ok();
            (prepared, changed)
        })??;
        if let Prepared::Delivered(delivery) = &prepared {
            self.cover(delivery);
        }
        Ok(prepared)
    }

    pub(crate) fn record(&self, delivery: Delivery) -> Result<Delivery, StateError> {
        self.change(|world| {
            world.webhook.record(&delivery);
            self.apply_mutant(world);
        })?;
        self.cover(&delivery);
        Ok(delivery)
    }

    /// Applies another limit of failures after the outcome of a delivery.
    fn apply_mutant(&self, world: &mut World) {
        if let Some(limit) = self.service.mutant.and_then(Mutant::failure_limit) {
            world.webhook.limit_failures(limit);
        }
    }

    /// Counts the event as covered, even if the delivery failed.
    fn cover(&self, delivery: &Delivery) {
        self.service
            .change_verdicts(|verdicts| verdicts.coverage.record_event(&delivery.sent.kind));
    }

    async fn deliver(&self, prepared: Prepared) -> Result<Delivery, Error> {
        match prepared {
            Prepared::Delivered(delivery) => Ok(delivery),
            Prepared::Pending(pending) => {
                Ok(self.record(send(pending, self.service.mutant).await)?)
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut World)) -> Result<(), StateError> {
        self.service.store.transact(|world| (change(world), true))
    }

    fn read<T>(&self, read: impl FnOnce(&World) -> T) -> Result<T, StateError> {
        self.service.store.transact(|world| (read(world), false))
    }
}
