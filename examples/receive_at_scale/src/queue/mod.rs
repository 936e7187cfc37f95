//! The queue of verified bodies: a NATS JetStream stream, which the broker stores in a file.

mod backlog;
mod dead_letters;
mod publish;
mod settings;

pub use backlog::Backlog;
pub use dead_letters::DeadLetter;
pub(crate) use dead_letters::text;
pub use publish::{MAX_HEADER_BYTES, MAX_PENDING_BYTES, STORE_TIMEOUT, StoreError};
pub use settings::QueueSettings;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{ContextBuilder, CreateStreamErrorKind, PublishError};
use async_nats::jetstream::message::{OutboundMessage, PublishMessage};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::Stream;
use async_nats::{ConnectErrorKind, ConnectOptions};
use bytes::Bytes;
use tokio::sync::Semaphore;
use tracing::warn;

/// Period in which the broker detects duplicate events. It keeps their keys in memory.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

const STREAM: &str = "PROFILE_EVENTS";
const SUBJECT: &str = "profile.events";
const DEAD_STREAM: &str = "PROFILE_DEAD_LETTERS";
const DEAD_SUBJECTS: &str = "profile.dead.*";

/// The header with the event kind, which is not authenticated.
pub(crate) const KIND_HEADER: &str = "Profile-Unverified-Kind";

/// The header with the name of the only worker that handles the event.
pub(crate) const WORKER_HEADER: &str = "Profile-Worker";

/// Timeout of one attempt to publish.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Delay between attempts.
const RETRY_DELAY: Duration = Duration::from_millis(100);

const DISCONNECTED: &str = "the broker is disconnected";

/// Time between the requests that detect a broker that hangs: after two without a response, the
/// connection is closed, and publishing fails at once.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// Errors for settings of a stream that no later attempt can change.
const REFUSALS: [ErrorCode; 3] = [
    ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED,
    ErrorCode::STREAM_INVALID_CONFIG,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
];

/// An error of a request to the broker.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not {action}: {cause}; expected a NATS server with JetStream that accepts the settings"
)]
pub struct QueueError {
    action: &'static str,
    cause: String,
    is_refusal: bool,
}

impl QueueError {
    /// Returns a function that creates an error with its cause.
    pub(crate) fn during<E: ToString>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| Self {
            action,
            cause: cause.to_string(),
            is_refusal: false,
        }
    }

    /// Returns `true` if the broker refuses the credentials or the settings of the stream, so that
    /// another attempt with the same settings cannot succeed.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }
}

/// A connection to the broker, which reconnects automatically. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    permits: Arc<Semaphore>,
}

impl Queue {
    /// Connects like [`Queue::connect`], and creates the streams, or updates their settings. Logs a
    /// warning if fewer servers than [`QueueSettings::stream_replicas`] store them.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] like [`Queue::connect`], or if the broker does not support JetStream, or
    /// refuses the settings.
    ///
    /// ```no_run
    /// use receive_at_scale::{Queue, QueueSettings};
    ///
    /// # async fn open() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut settings = QueueSettings::new("nats://10.0.0.1")?;
    /// settings.stream_replicas = 3;
    /// let queue = Queue::open(settings).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(settings: QueueSettings) -> Result<Self, QueueError> {
        let queue = Self::connect(&settings).await?;
        let mut servers = 0;
        for (name, subject) in [(STREAM, SUBJECT), (DEAD_STREAM, DEAD_SUBJECTS)] {
            let config = settings.stream(name, subject);
            let updated = queue.context.create_or_update_stream(config).await;
            let info = updated.map_err(|error| {
                let is_refusal = matches!(error.kind(),
                    CreateStreamErrorKind::JetStream(cause) if REFUSALS.contains(&cause.kind()));
                QueueError {
                    is_refusal,
                    ..QueueError::during("create or update the stream")(error)
                }
            })?;
            // A single server accepts more replicas for an existing stream, and does not create them.
            servers = info.cluster.map_or(1, |cluster| {
                cluster.replicas.len() + usize::from(cluster.leader.is_some())
            });
        }
        let replicas = settings.stream_replicas;
        if servers < replicas {
            warn!(servers, replicas, "too few servers store the events");
        }
        Ok(queue)
    }

    /// Returns a queue that connects in the background, and rejects deliveries until then. The
    /// streams must exist, or [`Queue::open`] must create them. Logs the loss and the return of the broker.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the credentials or the certificate cannot be read.
    pub async fn connect_in_background(settings: &QueueSettings) -> Result<Self, QueueError> {
        let is_absent = AtomicBool::new(false);
        let options = settings.connect_options().await?;
        let options = options.retry_on_initial_connect();
        let options = options.event_callback(move |event| {
            settings::log_event(&event, &is_absent);
            async {}
        });
        Self::connect_with(options, settings).await
    }

    /// Connects to the broker, whose streams exist.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the credentials or the certificate cannot be read, or if the broker
    /// cannot be reached.
    pub async fn connect(settings: &QueueSettings) -> Result<Self, QueueError> {
        Self::connect_with(settings.connect_options().await?, settings).await
    }

    async fn connect_with(
        options: ConnectOptions,
        settings: &QueueSettings,
    ) -> Result<Self, QueueError> {
        // A program that also contains aws-lc-rs has no default provider. Fails if one is installed
        // already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let connected = options.connect(&settings.nats_url[..]).await;
        let client = connected.map_err(|error| {
            let is_refusal = error.kind() == ConnectErrorKind::AuthorizationViolation;
            QueueError {
                is_refusal,
                ..QueueError::during("connect to the broker")(error)
            }
        })?;
        let context = ContextBuilder::new()
            .timeout(ATTEMPT_TIMEOUT)
            .ack_timeout(ATTEMPT_TIMEOUT)
            .build(client);
        let permits = Arc::new(Semaphore::new(publish::PERMITS));
        Ok(Self { context, permits })
    }

    /// Returns `true` if the queue accepts another delivery and the stream has a leader, which the
    /// broker is asked for. A full stream is ready.
    pub async fn is_ready(&self) -> bool {
        self.permits.available_permits() > 0 && self.stream().await.is_ok()
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.context.client().connection_state() == State::Connected
    }

    /// Returns a random identifier.
    pub(crate) fn new_id(&self) -> String {
        self.context.client().new_inbox().replace("_INBOX.", "")
    }

    /// Returns the stream of events. Fails at once while the broker is disconnected.
    pub(crate) async fn stream(&self) -> Result<Stream, QueueError> {
        let action = "look up the stream";
        match self.is_connected() {
            true => {
                let stream = self.context.get_stream(STREAM).await;
                stream.map_err(QueueError::during(action))
            }
            false => Err(QueueError::during(action)(DISCONNECTED)),
        }
    }

    /// Returns the stream of dead letters.
    async fn dead_stream(&self) -> Result<Stream, QueueError> {
        let stream = self.context.get_stream(DEAD_STREAM).await;
        stream.map_err(QueueError::during("look up the stream of dead letters"))
    }

    /// Sends a message, and waits for the acknowledgement.
    async fn send(&self, message: OutboundMessage) -> Result<PublishAck, PublishError> {
        let headers = message.headers.unwrap_or_default();
        let published =
            self.context
                .publish_with_headers(message.subject, headers, message.payload);
        published.await?.await
    }
}

/// Creates a message, which the broker stores once for each ID.
fn message(body: &Bytes, id: &str, unverified_kind: Option<&str>) -> PublishMessage {
    let message = PublishMessage::build().payload(body.clone()).message_id(id);
    match unverified_kind {
        Some(kind) => message.header(KIND_HEADER, kind),
        None => message,
    }
}
