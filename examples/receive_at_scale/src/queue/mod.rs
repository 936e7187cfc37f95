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
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{ContextBuilder, PublishError};
use async_nats::jetstream::message::{OutboundMessage, PublishMessage};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::Stream;
use bytes::Bytes;
use tokio::sync::Semaphore;

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

/// Time between the requests that detect a broker that hangs: after two without a response, the
/// connection is closed, and publishing fails at once.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// An error of a request to the broker.
#[derive(Debug, thiserror::Error)]
#[error("could not {action}: {cause}; expected a NATS server with JetStream")]
pub struct QueueError {
    action: &'static str,
    cause: String,
}

impl QueueError {
    /// Returns a function that creates an error with its cause.
    pub(crate) fn during<E: ToString>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| Self {
            action,
            cause: cause.to_string(),
        }
    }
}

/// A connection to the broker, which reconnects automatically. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    permits: Arc<Semaphore>,
}

impl Queue {
    /// Connects like [`Queue::connect`], and creates the streams, or updates their settings.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] like [`Queue::connect`], or if the broker does not support JetStream, or
    /// cannot change an existing stream to these settings.
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
        for (name, subject) in [(STREAM, SUBJECT), (DEAD_STREAM, DEAD_SUBJECTS)] {
            let config = settings.stream(name, subject);
            let updated = queue.context.create_or_update_stream(config).await;
            updated.map_err(QueueError::during("create or update the stream"))?;
        }
        Ok(queue)
    }

    /// Connects to the broker, whose streams exist.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the credentials or the certificate cannot be read, or if the broker
    /// cannot be reached.
    pub async fn connect(settings: &QueueSettings) -> Result<Self, QueueError> {
        // A program that also contains aws-lc-rs has no default provider. Fails if one is installed
        // already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = settings.connect_options().await;
        let client = options
            .map_err(QueueError::during(
                "read the credentials or the certificate",
            ))?
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(|attempts| RETRY_DELAY * attempts.min(5) as u32)
            .connect(&settings.nats_url[..])
            .await
            .map_err(QueueError::during("connect to the broker"))?;
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
        self.is_connected()
            && self.permits.available_permits() > 0
            && self.context.get_stream(STREAM).await.is_ok()
    }

    fn is_connected(&self) -> bool {
        self.context.client().connection_state() == State::Connected
    }

    /// Returns a random identifier.
    pub(crate) fn new_id(&self) -> String {
        self.context.client().new_inbox().replace("_INBOX.", "")
    }

    /// Returns the stream of events.
    pub(crate) async fn stream(&self) -> Result<Stream, QueueError> {
        let stream = self.context.get_stream(STREAM).await;
        stream.map_err(QueueError::during("look up the stream"))
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

/// Creates a message, which the broker stores once for each id.
fn message(body: &Bytes, id: &str, unverified_kind: Option<&str>) -> PublishMessage {
    let message = PublishMessage::build().payload(body.clone()).message_id(id);
    match unverified_kind {
        Some(kind) => message.header(KIND_HEADER, kind),
        None => message,
    }
}
