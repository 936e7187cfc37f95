//! The webhook of a server, in the hands of a test.

use super::delivery::Delivery;
use super::dispatch::{Dispatch, PendingDelivery, SentDelivery};
use super::error::Error;
use super::event::EventData;
use super::prepare;
use super::secret::WebhookSecret;
use super::state::{Prepared, WebhookStatus};
use crate::engine::{EventKind, World};
use crate::service::Service;
use crate::state_file::StateError;

/// The webhook of a [`MockServer`](crate::MockServer); see
/// [`MockServer::webhook`](crate::MockServer::webhook).
///
/// Nothing triggers an event by itself: it is sent when a test asks for it, once and without a
/// repetition. A delivery has failed when anything but a 2xx response comes within 10 seconds (or
/// [`Dialect::webhook_timeout`](crate::Dialect::webhook_timeout)). Ten failures in a row turn the webhook off; a success
/// in between ends the run.
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
/// let refused = webhook.emit(EventKind::FOLLOW_CREATED, json!({})).await.unwrap_err();
/// assert_eq!(refused.code(), "webhook_off");
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

    /// Sends to this URL from now on, signed with this secret. The webhook is on and its run of
    /// failures new.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] unless it is an absolute `http://` URL, and when the secret is empty,
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().point_at("http://127.0.0.1:8080/hooks", "whsec_test")?;
    /// assert!(server.webhook().is_active()?);
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn point_at(&self, url: &str, secret: impl Into<Vec<u8>>) -> Result<(), Error> {
        let url = url.parse()?;
        let secret = WebhookSecret::new(secret)?;
        Ok(self.change(|world| world.webhook.point_at(url, secret))?)
    }

    /// Sends to the built-in sink from now on, which answers by a
    /// [`SinkScript`](crate::webhook::SinkScript) and needs no socket. The webhook is on and its run of
    /// failures new.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when the script cannot be read or the secret is empty, [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().use_sink("500 x9, 200", "whsec_test")?;
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn use_sink(&self, script: &str, secret: impl Into<Vec<u8>>) -> Result<(), Error> {
        let script = script.parse()?;
        let secret = WebhookSecret::new(secret)?;
        Ok(self.change(|world| world.webhook.use_sink(script, secret))?)
    }

    /// Sends one event and waits for what comes of it; a failed delivery is no error. `kind` is an
    /// [`EventKind`](crate::webhook::EventKind) or any name that a header can carry, `data` JSON or the whole
    /// body as bytes. It counts as covered in the [verdicts](crate::MockServer::verdicts).
    ///
    /// Sending over the network needs a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// [`Error::Off`] or [`Error::NoReceiver`] when the webhook is off or points nowhere,
    /// [`Error::Invalid`] when no header can carry the name, [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use mock_server::webhook::{DeliveryOutcome, EventKind};
    /// use mock_server::MockServer;
    /// use serde_json::json;
    ///
    /// let server = MockServer::start().await;
    /// server.webhook().use_sink("202", "whsec_test")?;
    /// let delivery = server.webhook().emit(EventKind::POST_LIKED, json!({"post": "post_3"})).await?;
    /// assert_eq!(delivery.outcome, DeliveryOutcome::Answered { status: 202 });
    /// assert!(delivery.sent.signature.starts_with("sha256="));
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub async fn emit(
        &self,
        kind: impl AsRef<str>,
        data: impl Into<EventData>,
    ) -> Result<Delivery, Error> {
        self.deliver(self.dispatch_event(kind.as_ref(), data.into())?)
            .await
    }

    /// Sends the bytes and headers of an earlier delivery once more, to wherever the webhook points
    /// now. The new delivery has an id of its own.
    ///
    /// # Errors
    ///
    /// As [`emit`](Self::emit); [`Error::UnknownDelivery`] when the log holds none of this id.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().use_sink("500, 200", "whsec_test")?;
    /// let failed = server.webhook().emit("post.liked", serde_json::json!({})).await?;
    /// let again = server.webhook().redeliver(&failed.sent.id).await?;
    /// assert_eq!(again.sent.body, failed.sent.body);
    /// assert!(again.is_success());
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub async fn redeliver(&self, delivery_id: &str) -> Result<Delivery, Error> {
        self.deliver(self.dispatch_redelivery(delivery_id)?).await
    }

    /// Turns the webhook on again; its run of failures is new.
    ///
    /// # Errors
    ///
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().turn_on()?;
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn turn_on(&self) -> Result<(), Error> {
        Ok(self.change(|world| world.webhook.turn_on())?)
    }

    /// The latest deliveries, oldest first: at most 1,000, and at most 4 MiB of bodies.
    ///
    /// # Errors
    ///
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert!(server.webhook().deliveries()?.is_empty());
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn deliveries(&self) -> Result<Vec<Delivery>, Error> {
        Ok(self.read(|world| world.webhook.deliveries().cloned().collect())?)
    }

    /// Everything about the webhook but its secret.
    ///
    /// # Errors
    ///
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert_eq!(server.webhook().status()?.receiver, None);
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn status(&self) -> Result<WebhookStatus, Error> {
        Ok(self.read(|world| world.webhook.status())?)
    }

    /// How many deliveries have failed since the last success; see [`status`](Self::status).
    ///
    /// # Errors
    ///
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert_eq!(server.webhook().consecutive_failures()?, 0);
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn consecutive_failures(&self) -> Result<u32, Error> {
        Ok(self.status()?.consecutive_failures)
    }

    /// Whether an event would be sent; see [`status`](Self::status).
    ///
    /// # Errors
    ///
    /// [`Error::State`] when the state file fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert!(!server.webhook().is_active()?, "it points nowhere yet");
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn is_active(&self) -> Result<bool, Error> {
        Ok(self.status()?.active)
    }

    pub(crate) fn dispatch_event(&self, kind: &str, data: EventData) -> Result<Dispatch, Error> {
        let kind = EventKind::new(kind)?;
        self.dispatch(|world| prepare::event(world, kind, data))
    }

    pub(crate) fn dispatch_redelivery(&self, delivery_id: &str) -> Result<Dispatch, Error> {
        self.dispatch(|world| prepare::redelivery(world, delivery_id))
    }

    fn dispatch(
        &self,
        prepare: impl FnOnce(&mut World) -> Result<Prepared, Error>,
    ) -> Result<Dispatch, Error> {
        let (prepared, timeout) = self.service.store().transact(|world| {
            let prepared = prepare(world);
            let changed = prepared.is_ok();
            ((prepared, world.dialect().webhook_timeout), changed)
        })?;
        Ok(match prepared? {
            Prepared::Delivered(delivery) => {
                self.cover(&delivery);
                Dispatch::Delivered(delivery)
            }
            Prepared::ToSend(delivery, url) => Dispatch::Pending(PendingDelivery {
                delivery,
                url,
                timeout,
            }),
        })
    }

    pub(crate) fn finish_delivery(&self, sent: SentDelivery) -> Result<Delivery, StateError> {
        let SentDelivery { delivery, outcome } = sent;
        let record = |world: &mut World| (world.webhook.record(delivery, outcome), true);
        let delivery = self.service.store().transact(record)?;
        self.cover(&delivery);
        Ok(delivery)
    }

    /// A delivery that failed was sent all the same.
    fn cover(&self, delivery: &Delivery) {
        self.service
            .change_verdicts(|verdicts| verdicts.coverage.record_event(&delivery.sent.kind));
    }

    async fn deliver(&self, dispatch: Dispatch) -> Result<Delivery, Error> {
        match dispatch {
            Dispatch::Delivered(delivery) => Ok(delivery),
            Dispatch::Pending(pending) => {
                let sent = pending.send().await;
                Ok(self.finish_delivery(sent)?)
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut World)) -> Result<(), StateError> {
        self.service.store().transact(|world| (change(world), true))
    }

    fn read<T>(&self, read: impl FnOnce(&World) -> T) -> Result<T, StateError> {
        self.service.store().transact(|world| (read(world), false))
    }
}
