//! The queue of verified bodies: a NATS JetStream stream, which the broker stores in a file.

mod backlog;
mod dead_letters;
mod publish;
mod queue_error;
mod settings;

pub use backlog::Backlog;
pub use dead_letters::DeadLetter;
pub(crate) use dead_letters::text;
pub use publish::{MAX_HEADER_BYTES, MAX_PENDING, STORE_TIMEOUT, StoreError, Stored};
pub use queue_error::QueueError;
pub use settings::QueueSettings;

use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{ContextBuilder, PublishError};
use async_nats::jetstream::message::OutboundMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::Stream;
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

/// A connection to the broker, which reconnects automatically. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    settings: Arc<QueueSettings>,
    permits: Arc<Semaphore>,
}

impl Queue {
    /// Connects to a broker such as `nats://127.0.0.1:4222`, and creates the stream if it does not
    /// exist.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the URL is invalid, or if the broker cannot be reached, does not
    /// support JetStream, or has a stream with the same name and different settings.
    ///
    /// ```no_run
    /// # async fn open() -> Result<(), receive_at_scale::QueueError> {
    /// let queue = receive_at_scale::Queue::open("nats://127.0.0.1:4222").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(broker: &str) -> Result<Self, QueueError> {
        Self::open_with(QueueSettings::new(broker)).await
    }

    /// Connects like [`Queue::open`], with other settings.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Queue::open`].
    ///
    /// ```no_run
    /// # use receive_at_scale::{Queue, QueueError, QueueSettings};
    /// # async fn open() -> Result<(), QueueError> {
    /// let mut settings = QueueSettings::new("nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3");
    /// settings.replicas = 3;
    /// let queue = Queue::open_with(settings).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open_with(settings: QueueSettings) -> Result<Self, QueueError> {
        // A program that also contains aws-lc-rs has no default provider. Fails if one is installed
        // already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let addresses = settings.addresses()?;
        let client = settings
            .connect_options(&addresses)
            .await?
            .reconnect_delay_callback(|attempts| RETRY_DELAY * attempts.min(5) as u32)
            .connect(addresses)
            .await
            .map_err(|cause| QueueError::new("connect to the broker", cause))?;
        let context = ContextBuilder::new()
            .timeout(ATTEMPT_TIMEOUT)
            .ack_timeout(ATTEMPT_TIMEOUT)
            .build(client);
        let queue = Self {
            context,
            settings: Arc::new(settings),
            permits: Arc::new(Semaphore::new(MAX_PENDING)),
        };
        queue.stream().await?;
        queue.dead_stream().await?;
        Ok(queue)
    }

    /// Returns `true` if the queue accepts another delivery and the stream has a leader, which the
    /// broker is asked for. A full stream is ready.
    ///
    /// ```no_run
    /// # async fn readiness(queue: &receive_at_scale::Queue) -> u16 {
    /// if queue.is_ready().await { 200 } else { 503 }
    /// # }
    /// ```
    pub async fn is_ready(&self) -> bool {
        let connected = self.context.client().connection_state() == State::Connected;
        connected
            && self.permits.available_permits() > 0
            && self.context.get_stream(STREAM).await.is_ok()
    }

    /// Returns a random identifier.
    pub(crate) fn new_id(&self) -> String {
        self.context.client().new_inbox().replace("_INBOX.", "")
    }

    /// Returns the stream, and creates it if it does not exist.
    pub(crate) async fn stream(&self) -> Result<Stream, QueueError> {
        self.stream_named(STREAM, SUBJECT).await
    }

    /// Returns the stream of dead letters, and creates it if it does not exist.
    async fn dead_stream(&self) -> Result<Stream, QueueError> {
        self.stream_named(DEAD_STREAM, DEAD_SUBJECTS).await
    }

    async fn stream_named(&self, name: &str, subject: &str) -> Result<Stream, QueueError> {
        let expected = self.settings.stream(name, subject);
        let created = self.context.get_or_create_stream(expected.clone()).await;
        let stream = created.map_err(|cause| QueueError::new("create the stream", cause))?;
        let differences = settings::differences(&stream.cached_info().config, &expected);
        match differences.is_empty() {
            true => Ok(stream),
            false => Err(QueueError::OtherStream {
                name: name.to_owned(),
                differences: differences.join("; "),
            }),
        }
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
