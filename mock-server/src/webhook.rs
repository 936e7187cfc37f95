//! The webhook of a [`MockServer`](crate::MockServer): its receiver, events and deliveries, which are sent
//! over the network.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::Request;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::engine::World;
use crate::engine::webhook::{
    NewDelivery, PendingDelivery, Prepared, Receiver, ReceiverUrl, WebhookSecret,
};
use crate::input::InvalidInput;
use crate::mutants::Mutant;
use crate::service::{Service, StateError};
use crate::tasks::{background_runtime, run_blocking};

pub use crate::engine::webhook::{
    BuiltInReceiver, Delivery, DeliveryOutcome, EventData, EventKind, MAX_CONSECUTIVE_FAILURES,
    NotSent, ReceiverScript, SignedDelivery, WebhookStatus,
};

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
/// webhook.use_built_in_receiver("500 x10, 200", "whsec_test")?;
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
    service: &'a Arc<Service>,
}

impl<'a> WebhookHandle<'a> {
    pub(crate) fn new(service: &'a Arc<Service>) -> Self {
        Self { service }
    }

    /// Sends future events to this URL, signed with this secret. Turns the webhook on and resets its
    /// count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] unless `url` is an absolute `http://` URL and the secret is not empty,
    /// and [`Error::State`] if the state file fails.
    pub fn set_receiver(&self, url: &str, secret: impl Into<Vec<u8>>) -> Result<()> {
        let receiver = Receiver::Url(url.to_owned().try_into()?);
        self.use_receiver(receiver, Some(secret.into()))
    }

    /// Sends future events to the built-in receiver, which responds according to a
    /// [`ReceiverScript`] and needs no socket. Turns the webhook on and resets
    /// its count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] if the script is invalid or the secret is empty, and [`Error::State`]
    /// if the state file fails.
    pub fn use_built_in_receiver(&self, script: &str, secret: impl Into<Vec<u8>>) -> Result<()> {
        self.use_receiver(Receiver::built_in(script.parse()?), Some(secret.into()))
    }

    /// Sets the receiver. Without a secret, a later receiver keeps that of the earlier one.
    pub(crate) fn use_receiver(&self, receiver: Receiver, secret: Option<Vec<u8>>) -> Result<()> {
        let secret = secret.map(WebhookSecret::new).transpose()?;
        self.service.store.try_update(|world| {
            let webhook = &mut world.webhook;
            let Some(secret) = secret.or_else(|| webhook.secret().cloned()) else {
                let message = "the webhook has no secret yet; add `secret`";
                return Err(InvalidInput::new("no_secret", message).into());
            };
            webhook.set_receiver(receiver, secret);
            Ok(())
        })
    }

    /// Sends one event and returns its outcome; a failed delivery is not an error. `kind` is an
    /// [`EventKind`] or any name that is
    /// valid in a header; `data` is JSON or the whole body as bytes. The event counts as covered in the
    /// [report](crate::ServiceHandle::report).
    ///
    /// An event to a URL is sent on a thread for all deliveries: it is completed and recorded even if the future
    /// is dropped after it was polled, and its timeout is real time, even if the clock of tokio is paused.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotSent`] if the webhook is off or has no receiver, [`Error::Invalid`] if the
    /// name is not valid in a header, and [`Error::State`] or [`Error::NotRecorded`] if the state file
    /// fails.
    pub async fn emit(
        &self,
        kind: impl AsRef<str>,
        data: impl Into<EventData>,
    ) -> Result<Delivery> {
        let kind = EventKind::new(kind.as_ref())?;
        self.start(NewDelivery::Event(kind, data.into()))?.await
    }

    /// Sends the body and headers of an earlier delivery again, to the current receiver. The new
    /// delivery has its own ID.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`emit`](Self::emit), and [`Error::NotSent`] if the log does not contain the
    /// delivery.
    pub async fn redeliver(&self, delivery_id: &str) -> Result<Delivery> {
        let earlier = delivery_id.to_owned();
        self.start(NewDelivery::Redelivery(earlier))?.await
    }

    /// Turns the webhook on and resets its count of failures.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotSent`] if the webhook has no receiver, and [`Error::State`] if the state file
    /// fails.
    pub fn turn_on(&self) -> Result<()> {
        self.service.store.try_update(|world| {
            if world.webhook.secret().is_none() {
                return Err(NotSent::NoReceiver.into());
            }
            world.webhook.turn_on();
            Ok(())
        })
    }

    /// Returns the latest deliveries, oldest first: at most 1,000, and at most 4 MiB of bodies.
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn deliveries(&self) -> Result<Vec<Delivery>> {
        let store = &self.service.store;
        Ok(store.read(|world| world.webhook.deliveries().cloned().collect())?)
    }

    /// Returns the status of the webhook, without its secret.
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn status(&self) -> Result<WebhookStatus> {
        Ok(self.service.store.read(|world| world.webhook.status())?)
    }

    /// Returns `true` if the webhook is on and has a receiver; see [`status`](Self::status).
    ///
    /// # Errors
    ///
    /// Returns [`Error::State`] if the state file fails.
    pub fn is_active(&self) -> Result<bool> {
        Ok(self.status()?.active)
    }

    /// Starts a delivery, and returns its outcome as a future.
    pub(crate) fn start(&self, new: NewDelivery) -> Result<Delivering> {
        let prepared = self.service.store.try_update(|world| {
            let prepared = world.prepare_delivery(new);
            self.apply_mutant(world);
            Ok::<_, Error>(prepared?)
        })?;
        let (sender, delivered) = oneshot::channel();
        match prepared {
            Prepared::Delivered(delivery) => {
                self.cover(&delivery);
                // The receiver is below.
                let _ = sender.send(Ok(delivery));
            }
            Prepared::Pending(pending) => {
                let (service, mutant) = (self.service.clone(), self.service.mutant);
                let record = move |sent, outcome| {
                    let recorded = WebhookHandle::new(&service).record(Delivery { sent, outcome });
                    // The caller may not wait for it.
                    let _ = sender.send(recorded.map_err(Error::NotRecorded));
                };
                match background_runtime() {
                    Err(error) => record(pending.delivery, connection_failed(&error)),
                    Ok(runtime) => drop(runtime.spawn(async move {
                        let outcome = send(&pending, mutant).await;
                        // It may wait for the lock of a state file.
                        run_blocking(move || record(pending.delivery, outcome)).await;
                    })),
                }
            }
        }
        Ok(Box::pin(async {
            delivered.await.expect("the thread sends the outcome")
        }))
    }

    fn record(&self, delivery: Delivery) -> Result<Delivery, StateError> {
        self.service.store.update(|world| {
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
            .count(|report| report.coverage.record_event(&delivery.sent.kind));
    }
}

/// The outcome of a delivery that was started.
pub(crate) type Delivering = Pin<Box<dyn Future<Output = Result<Delivery>> + Send>>;

/// A result whose error is [`Error`], unless another type is named.
type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a call to the webhook. The call had no effect, except for [`NotRecorded`](Self::NotRecorded).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL, the secret, the script or the name of the event is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The webhook is off or has no receiver, or the log does not contain the delivery.
    #[error(transparent)]
    NotSent(#[from] NotSent),
    /// The state file could not be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The event was sent, but the state file could not be read or written.
    #[error("the event was sent, but its outcome is not recorded: {0}")]
    NotRecorded(StateError),
}

impl Error {
    /// Returns a machine-readable code: `no_receiver`, `webhook_off`, `unknown_delivery`, `state_file`,
    /// `not_recorded`, or `invalid_url`, `empty_secret`, `invalid_script` or `invalid_kind`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// let error = server.webhook().use_built_in_receiver("200", "").unwrap_err();
    /// assert_eq!(error.code(), "empty_secret");
    /// # });
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(error) => error.code(),
            Self::NotSent(NotSent::NoReceiver) => "no_receiver",
            Self::NotSent(NotSent::Off { .. }) => "webhook_off",
            Self::NotSent(NotSent::UnknownDelivery { .. }) => "unknown_delivery",
            Self::State(_) => "state_file",
            Self::NotRecorded(_) => "not_recorded",
        }
    }
}

/// Maximum number of bytes of a response to read. Only the status matters, but closing the connection
/// too early would cause errors in the receiver.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Sends once, without following redirects, and waits for the response no longer than the timeout.
async fn send(pending: &PendingDelivery, mutant: Option<Mutant>) -> DeliveryOutcome {
    let request = request(pending, mutant);
    match timeout(pending.timeout, post(&pending.url, request)).await {
        Ok(Ok(status)) => DeliveryOutcome::Responded { status },
        Ok(Err(error)) => connection_failed(&*error),
        Err(_) => DeliveryOutcome::timed_out(pending.timeout),
    }
}

async fn post(
    url: &ReceiverUrl,
    request: Request<Full<Bytes>>,
) -> Result<u16, Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect(url.host_and_port()).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Dropping the set closes the connection, also after a timeout.
    let mut connections = JoinSet::new();
    connections.spawn(connection);
    let response = sender.send_request(request).await?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES);
    match body.collect().await {
        Err(error) if !error.is::<LengthLimitError>() => Err(error),
        _ => Ok(status),
    }
}

fn request(pending: &PendingDelivery, mutant: Option<Mutant>) -> Request<Full<Bytes>> {
    let PendingDelivery { delivery, url, .. } = pending;
    let kind = HeaderValue::from_bytes(delivery.kind.as_str().as_bytes())
        .expect("an event kind is a name that a header can carry");
    let mut request = Request::post(url.target())
        .header(HOST, url.authority())
        .header(CONTENT_TYPE, &delivery.content_type)
        .header("x-service-event", kind)
        .header("x-service-signature", &delivery.signature)
        .body(Full::default())
        .expect("target and headers were checked when they were made");
    let mut body = delivery.body.clone();
    if let Some(mutant) = mutant {
        mutant.change_delivery(request.headers_mut(), &mut body);
    }
    // hyper omits it for an empty body, although RFC 9110, section 8.6, recommends it.
    let length = HeaderValue::from(body.len());
    request.headers_mut().insert(CONTENT_LENGTH, length);
    *request.body_mut() = Full::new(body.into());
    request
}

/// Describes an error with its cause, which hyper's message does not include.
fn connection_failed(error: &dyn std::error::Error) -> DeliveryOutcome {
    let cause = error.source().map(|cause| format!(": {cause}"));
    let reason = format!("{error}{}", cause.unwrap_or_default());
    DeliveryOutcome::ConnectionFailed { reason }
}
