//! The queue of verified bodies: a NATS JetStream stream, which the broker stores in a file.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::connection::State;
use async_nats::jetstream::context::{ContextBuilder, PublishError};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, consumer};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

/// Period in which the broker detects duplicate events. It keeps their keys in memory.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Period for which the broker keeps an event, handled or not.
pub const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

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

/// Timeout of one attempt to publish.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Delay between attempts.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// A connection to the broker, which reconnects automatically. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    permits: Arc<Semaphore>,
}

impl Queue {
    /// Connects to a broker such as `nats://127.0.0.1:4222`, and creates the stream if it does not
    /// exist.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker cannot be reached, does not support JetStream, or has a
    /// stream with the same name and different settings.
    ///
    /// ```no_run
    /// # async fn open() -> Result<(), receive_at_scale::QueueError> {
    /// let queue = receive_at_scale::Queue::open("nats://127.0.0.1:4222").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(broker: &str) -> Result<Self, QueueError> {
        let client = ConnectOptions::new()
            .reconnect_delay_callback(|attempts| RETRY_DELAY * attempts.min(5) as u32)
            .connect(broker)
            .await
            .map_err(|cause| QueueError::new("connect to the broker", cause))?;
        let context = ContextBuilder::new()
            .timeout(ATTEMPT_TIMEOUT)
            .ack_timeout(ATTEMPT_TIMEOUT)
            .build(client);
        let queue = Self {
            context,
            permits: Arc::new(Semaphore::new(MAX_PENDING)),
        };
        queue.stream().await?;
        Ok(queue)
    }

    /// Stores a body and waits for the broker's acknowledgement.
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
    /// queue.publish("{}".into(), Some("the key".to_owned())).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn publish(&self, body: Bytes, key: Option<String>) -> Result<Stored, StoreError> {
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
        while let Ok(outcome) = timeout_at(deadline, self.attempt(&body, &id)).await {
            match outcome {
                Ok(ack) if ack.duplicate => return Ok(Stored::Duplicate),
                Ok(_) => return Ok(Stored::New),
                Err(error) => last_error = Some(error),
            }
            sleep(RETRY_DELAY).await;
        }
        Err(StoreError::Timeout(last_error.map(Box::new)))
    }

    /// Returns `true` if the broker is connected and the queue accepts another delivery.
    ///
    /// ```no_run
    /// # fn health(queue: &receive_at_scale::Queue) -> u16 {
    /// if queue.is_ready() { 200 } else { 503 }
    /// # }
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let connected = self.context.client().connection_state() == State::Connected;
        connected && self.permits.available_permits() > 0
    }

    /// Returns the number of stored events that the worker with this name has not handled yet.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond, or the worker does not exist.
    ///
    /// ```no_run
    /// # async fn backlog(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// println!("{} pending", queue.backlog("mailer").await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backlog(&self, worker: &str) -> Result<u64, QueueError> {
        let failed = |cause| QueueError::new("look up the worker", cause);
        let stream = self.stream().await?;
        let consumer = stream.get_consumer::<consumer::pull::Config>(worker).await;
        let mut consumer = consumer.map_err(|cause| failed(cause.to_string()))?;
        let info = consumer.info().await;
        let info = info.map_err(|cause| failed(cause.to_string()))?;
        Ok(info.num_pending + info.num_ack_pending as u64)
    }

    /// Returns the stream, and creates it if it does not exist.
    pub(crate) async fn stream(&self) -> Result<Stream, QueueError> {
        let created = self.context.get_or_create_stream(stream_config()).await;
        created.map_err(|cause| QueueError::new("create the stream", cause))
    }

    async fn attempt(&self, body: &Bytes, id: &str) -> Result<PublishAck, PublishError> {
        let message = PublishMessage::build()
            .payload(body.clone())
            .message_id(id)
            .outbound_message(SUBJECT);
        let headers = message.headers.unwrap_or_default();
        let published =
            self.context
                .publish_with_headers(message.subject, headers, message.payload);
        published.await?.await
    }
}

fn stream_config() -> Config {
    Config {
        name: STREAM.to_owned(),
        subjects: vec![SUBJECT.to_owned()],
        storage: StorageType::File,
        duplicate_window: DUPLICATE_WINDOW,
        // Not a work queue: after a restart, the broker detects duplicates only of stored events.
        retention: RetentionPolicy::Limits,
        max_age: MAX_AGE,
        // A full stream rejects new events instead of deleting old ones that are not handled yet.
        discard: DiscardPolicy::New,
        ..Config::default()
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
#[error("could not {action}: {cause}; expected a NATS server with JetStream")]
pub struct QueueError {
    action: &'static str,
    cause: String,
}

impl QueueError {
    pub(crate) fn new(action: &'static str, cause: impl fmt::Display) -> Self {
        let cause = cause.to_string();
        Self { action, cause }
    }
}
