//! The queue of verified bodies: a NATS JetStream stream, which the broker stores in a file.

mod dead_letters;
mod settings;

pub use dead_letters::DeadLetter;
pub(crate) use dead_letters::text;
pub use settings::QueueSettings;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::{ContextBuilder, PublishError};
use async_nats::jetstream::message::{OutboundMessage, PublishMessage};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, consumer};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

/// Period in which the broker detects duplicate events. It keeps their keys in memory.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Maximum time to store a delivery; after that, the receiver responds with 503.
///
/// The specification does not define the timeout of the service. This leaves time for the response
/// within ten seconds, a common timeout.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(8);

/// Maximum number of deliveries per receiver that wait to be stored. The receiver responds to
/// others with 503.
pub const MAX_PENDING: usize = 256;

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

    /// Stores a body and waits for the broker's acknowledgement.
    ///
    /// `unverified_kind` is the event kind in the header, which the signature does not cover.
    ///
    /// Retries failed attempts until [`STORE_TIMEOUT`] with the same message id, so that the body
    /// is stored only once. Without a key, the id is unique to this call.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError`] if too many deliveries are pending, or if the acknowledgement does
    /// not arrive in time. In the latter case, the broker may have stored the body.
    ///
    /// ```no_run
    /// # async fn store(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::StoreError> {
    /// queue.publish("{}".into(), Some("the key".to_owned()), Some("post.liked")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn publish(
        &self,
        body: Bytes,
        key: Option<String>,
        unverified_kind: Option<&str>,
    ) -> Result<Stored, StoreError> {
        let _permit = self
            .permits
            .try_acquire()
            .map_err(|_| StoreError::TooManyPending)?;
        let deadline = Instant::now() + STORE_TIMEOUT;
        // A key may be long or contain characters that are invalid in a header.
        let id = match key {
            Some(key) => hex::encode(Sha256::digest(key)),
            None => self.context.client().new_inbox(),
        };
        let mut last_error = None;
        while let Ok(outcome) =
            timeout_at(deadline, self.attempt(&body, &id, unverified_kind)).await
        {
            match outcome {
                Ok(ack) if ack.duplicate => return Ok(Stored::Duplicate),
                Ok(_) => return Ok(Stored::New),
                Err(error) => last_error = Some(error),
            }
            sleep(RETRY_DELAY).await;
        }
        Err(StoreError::Timeout(last_error.map(Box::new)))
    }

    /// Returns `true` if the queue accepts another delivery and the stream has a leader, which the
    /// broker is asked for.
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

    /// Returns the events that the worker with this name has not handled.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond, or the worker does not exist.
    ///
    /// ```no_run
    /// # async fn backlog(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// println!("{} not handled", queue.backlog("mailer").await?.total());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backlog(&self, worker: &str) -> Result<Backlog, QueueError> {
        let failed = |cause| QueueError::new("look up the worker", cause);
        let stream = self.stream().await?;
        let consumer = stream.get_consumer::<consumer::pull::Config>(worker).await;
        let mut consumer = consumer.map_err(|cause| failed(cause.to_string()))?;
        let info = consumer.info().await;
        let info = info.map_err(|cause| failed(cause.to_string()))?;
        Ok(Backlog {
            waiting: info.num_pending,
            unfinished: info.num_ack_pending as u64,
            dead_letters: self.count_dead_letters(worker).await?,
        })
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

    async fn attempt(
        &self,
        body: &Bytes,
        id: &str,
        unverified_kind: Option<&str>,
    ) -> Result<PublishAck, PublishError> {
        let mut message = PublishMessage::build().payload(body.clone()).message_id(id);
        if let Some(kind) = unverified_kind {
            message = message.header(KIND_HEADER, kind);
        }
        self.send(message.outbound_message(SUBJECT)).await
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

/// The events that a worker has not handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Events that were not delivered to the worker yet.
    pub waiting: u64,
    /// Events that are being handled, or wait for the next attempt.
    pub unfinished: u64,
    /// Events that failed permanently.
    pub dead_letters: u64,
}

impl Backlog {
    /// Returns the number of all these events.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.waiting + self.unfinished + self.dead_letters
    }
}

/// The broker's acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The event is new.
    New,
    /// The event was already stored within [`DUPLICATE_WINDOW`].
    Duplicate,
}

/// An error that the receiver reports with 503.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The limit [`MAX_PENDING`] is reached.
    #[error("{MAX_PENDING} deliveries are pending; start another receiver, or check the broker")]
    TooManyPending,
    /// The broker did not acknowledge the delivery in time; with the error of the last attempt.
    #[error("no acknowledgement from the broker within {STORE_TIMEOUT:?}{cause}", cause = suffix(.0))]
    Timeout(Option<Box<PublishError>>),
}

fn suffix(cause: &Option<Box<PublishError>>) -> String {
    match cause {
        Some(cause) => format!(": {cause}"),
        None => String::new(),
    }
}

/// An error of the connection to the broker.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The broker refused a request or did not respond.
    #[error("could not {action}: {cause}; expected a NATS server with JetStream")]
    Broker {
        /// The request.
        action: &'static str,
        /// The error of the client.
        cause: String,
    },
    /// The settings of the connection are invalid.
    #[error("could not {action}: {cause}; check the settings")]
    Settings {
        /// The step that failed.
        action: &'static str,
        /// The error of the client.
        cause: String,
    },
    /// The stream exists with other settings.
    #[error(
        "the stream {name} has other settings: {differences}; change the settings, or edit the stream"
    )]
    OtherStream {
        /// The name of the stream.
        name: String,
        /// The settings that differ.
        differences: String,
    },
}

impl QueueError {
    pub(crate) fn new(action: &'static str, cause: impl fmt::Display) -> Self {
        let cause = cause.to_string();
        Self::Broker { action, cause }
    }

    fn settings(action: &'static str, cause: impl fmt::Display) -> Self {
        let cause = cause.to_string();
        Self::Settings { action, cause }
    }
}
