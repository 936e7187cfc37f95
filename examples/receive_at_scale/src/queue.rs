//! The queue that verified bodies go to: a stream of NATS JetStream, in a file of the broker's.

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

/// For how long the broker knows an event again. It keeps the keys of so many minutes in memory.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// For how long the broker keeps an event, worked or not.
pub const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// For how long a delivery waits to be stored before it is answered with 503. The specification
/// does not say how long the service waits; ten seconds is usual, and the answer has to travel too.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(8);

/// How many deliveries of one receiver may wait to be stored; a further one is answered with 503.
pub const IN_FLIGHT: usize = 256;

const STREAM: &str = "PROFILE_EVENTS";
const SUBJECT: &str = "profile.events";

/// How long one attempt to publish waits for the broker.
const ATTEMPT: Duration = Duration::from_secs(2);

/// The pause after an attempt that failed at once.
const PAUSE: Duration = Duration::from_millis(100);

/// A connection to the broker, which is made again whenever it is lost. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    places: Arc<Semaphore>,
}

impl Queue {
    /// Connects to a broker such as `nats://127.0.0.1:4222`, and creates the stream if it is not
    /// there yet.
    ///
    /// # Errors
    ///
    /// [`QueueError`] when the broker cannot be reached, has no JetStream, or has a stream of this
    /// name and other settings.
    ///
    /// ```no_run
    /// # async fn open() -> Result<(), receive_at_scale::QueueError> {
    /// let queue = receive_at_scale::Queue::open("nats://127.0.0.1:4222").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(broker: &str) -> Result<Self, QueueError> {
        let client = ConnectOptions::new()
            .reconnect_delay_callback(|attempts| PAUSE * attempts.min(5) as u32)
            .connect(broker)
            .await
            .map_err(|reason| QueueError::new("connect to the broker", reason))?;
        let context = ContextBuilder::new()
            .timeout(ATTEMPT)
            .ack_timeout(ATTEMPT)
            .build(client);
        let queue = Self {
            context,
            places: Arc::new(Semaphore::new(IN_FLIGHT)),
        };
        queue.stream().await?;
        Ok(queue)
    }

    /// Stores one body and waits until the broker has acknowledged it.
    ///
    /// Attempts that fail are repeated within [`ANSWER_WITHIN`] under the same id, so that none of
    /// them stores a second copy. Without a key the id is unique to this call.
    ///
    /// # Errors
    ///
    /// [`NotStored`] when there is no place or no acknowledgement in time. In the latter case the
    /// broker may have it all the same.
    ///
    /// ```no_run
    /// # async fn store(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::NotStored> {
    /// queue.publish("{}".into(), Some("the key".to_owned())).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn publish(&self, body: Bytes, key: Option<String>) -> Result<Stored, NotStored> {
        let _place = self.places.try_acquire().map_err(|_| NotStored::Full)?;
        let deadline = Instant::now() + ANSWER_WITHIN;
        // A digest, since a key may hold what a header cannot, and may be long.
        let id = match key {
            Some(key) => hex::encode(Sha256::digest(key)),
            None => self.context.client().new_inbox(),
        };
        let mut last = None;
        while let Ok(outcome) = timeout_at(deadline, self.attempt(&body, &id)).await {
            match outcome {
                Ok(acknowledged) if acknowledged.duplicate => return Ok(Stored::Before),
                Ok(_) => return Ok(Stored::Now),
                Err(reason) => last = Some(reason),
            }
            sleep(PAUSE).await;
        }
        Err(NotStored::Late(last.map(Box::new)))
    }

    /// Whether a delivery would find the broker connected, and a place.
    ///
    /// ```no_run
    /// # fn health(queue: &receive_at_scale::Queue) -> u16 {
    /// if queue.is_ready() { 200 } else { 503 }
    /// # }
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let connected = self.context.client().connection_state() == State::Connected;
        connected && self.places.available_permits() > 0
    }

    /// How many events have been stored and not yet worked by the worker of this name.
    ///
    /// # Errors
    ///
    /// [`QueueError`] when the broker cannot be asked, or there is no such worker.
    ///
    /// ```no_run
    /// # async fn backlog(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// println!("{} to do", queue.backlog("mailer").await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backlog(&self, worker: &str) -> Result<u64, QueueError> {
        let ask = |reason| QueueError::new("ask for the worker", reason);
        let stream = self.stream().await?;
        let consumer = stream.get_consumer::<consumer::pull::Config>(worker).await;
        let mut consumer = consumer.map_err(|reason| ask(reason.to_string()))?;
        let info = consumer.info().await;
        let info = info.map_err(|reason| ask(reason.to_string()))?;
        Ok(info.num_pending + info.num_ack_pending as u64)
    }

    /// The stream, which is created if it is not there.
    pub(crate) async fn stream(&self) -> Result<Stream, QueueError> {
        let created = self.context.get_or_create_stream(stream_config()).await;
        created.map_err(|reason| QueueError::new("create the stream", reason))
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
        // After a restart the broker knows only the keys of events that it still has, so worked
        // ones have to stay: no work queue.
        retention: RetentionPolicy::Limits,
        max_age: KEPT_FOR,
        // A stream that is full refuses, rather than forget what nobody has worked yet.
        discard: DiscardPolicy::New,
        ..Config::default()
    }
}

/// What the broker has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The event is new.
    Now,
    /// The event had been stored before, within [`DUPLICATE_WINDOW`]: it is done.
    Before,
}

/// Why a delivery has to be answered with 503.
#[derive(Debug, thiserror::Error)]
pub enum NotStored {
    /// So many others wait already.
    #[error(
        "{IN_FLIGHT} deliveries wait to be stored; start another receiver, or look at the broker"
    )]
    Full,
    /// The broker has not acknowledged it in time; the last attempt failed with this.
    #[error("the broker has not acknowledged it within {ANSWER_WITHIN:?}{last}", last = told(.0))]
    Late(Option<Box<PublishError>>),
}

fn told(last: &Option<Box<PublishError>>) -> String {
    match last {
        Some(reason) => format!(": {reason}"),
        None => String::new(),
    }
}

/// Why the queue cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("could not {doing}: {reason}; expected a NATS server with JetStream")]
pub struct QueueError {
    doing: &'static str,
    reason: String,
}

impl QueueError {
    pub(crate) fn new(doing: &'static str, reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self { doing, reason }
    }
}
