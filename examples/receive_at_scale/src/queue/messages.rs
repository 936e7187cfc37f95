//! Messages of the streams: deliveries, which are stored as events, and dead letters, the events that failed
//! permanently.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::context::PublishErrorKind::{BrokenPipe, StreamNotFound, TimedOut};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{Config, LastRawMessageErrorKind};
use bytes::Bytes;
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep, timeout_at};

use super::{DISCONNECTED, Queue, QueueError, RETRY_DELAY, Result};
use crate::worker::Event;

/// Maximum time to store a delivery; after that, the receiver responds with 503.
///
/// The specification does not define the timeout of the service. This leaves time for the response
/// within ten seconds, a common timeout.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(8);

/// Maximum size of the bodies of a receiver that wait to be stored; a small one counts as 64 KiB. The
/// receiver responds to others with 503.
pub const MAX_PENDING_BYTES: usize = 16 << 20;

/// Bytes of the broker's `max_payload` that are reserved for the headers of an event or dead letter.
pub const MAX_HEADER_BYTES: usize = 4096;

/// A permit is needed for each started unit of a body.
const PERMIT_BYTES: usize = 64 << 10;
pub(super) const PERMITS: usize = MAX_PENDING_BYTES / PERMIT_BYTES;

/// The header with the event kind, which is not authenticated.
pub(crate) const KIND_HEADER: &str = "Profile-Unverified-Kind";

/// The header with the name of the only worker that handles the event.
pub(crate) const WORKER_HEADER: &str = "Profile-Worker";

const REASON_HEADER: &str = "Profile-Reason";
const SEQUENCE_HEADER: &str = "Profile-Sequence";

/// The maximum length of a stored reason in characters.
const MAX_REASON: usize = 500;

/// An event that failed permanently.
///
/// ```no_run
/// # use receive_at_scale::{Queue, QueueError};
/// async fn replay_all(queue: &Queue) -> Result<(), QueueError> {
///     let mut next = 1;
///     while let Some(letter) = queue.dead_letter("mailer", next).await? {
///         println!("{} {}", letter.number, letter.reason);
///         queue.replay(&letter).await?;
///         next = letter.number + 1;
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The number of the dead letter.
    pub number: u64,
    /// The sequence number of the event in the stream.
    pub sequence: u64,
    /// The error of the handler.
    pub reason: String,
    /// The signed body.
    pub body: Bytes,
    worker: String,
    kind: Option<String>,
    /// The time at which the broker stored the dead letter, in nanoseconds since 1970: numbers start
    /// again if the stream of dead letters is created again.
    stored_at: i128,
}

impl Queue {
    /// Stores a body and waits for the broker's acknowledgement.
    ///
    /// `unverified_kind` is the event kind in the header, which the signature does not cover.
    ///
    /// Fails at once while the broker is disconnected. Otherwise, retries failed attempts until
    /// [`STORE_TIMEOUT`] with the same message ID, so that the body is stored only once. Without a
    /// key, the ID is unique to this call.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError`] if the body is larger than the broker accepts, if too many deliveries
    /// are pending, or if the broker does not acknowledge it. The body is not stored then, nor will
    /// it be, except after [`StoreError::Unconfirmed`].
    pub async fn publish(
        &self,
        body: Bytes,
        key: Option<String>,
        unverified_kind: Option<&str>,
    ) -> Result<PublishAck, StoreError> {
        let limit = self.context.client().max_payload();
        let limit = limit.saturating_sub(MAX_HEADER_BYTES);
        // Before the first connection, the limit is not known.
        if self.is_connected() && body.len() > limit {
            return Err(StoreError::TooLarge { limit });
        }
        let needed = body.len().div_ceil(PERMIT_BYTES).clamp(1, PERMITS) as u32;
        let permits = self.permits.try_acquire_many(needed);
        let _permits = permits.map_err(|_| StoreError::TooManyPending)?;
        // A key may be long or contain characters that are invalid in a header.
        let id = match key {
            Some(key) => hex::encode(Sha256::digest(key)),
            None => self.new_id(),
        };
        let deadline = Instant::now() + STORE_TIMEOUT;
        let mut may_be_stored = false;
        let mut cause = DISCONNECTED.to_owned();
        // The client would keep what is published while disconnected, and send it later.
        while self.is_connected() {
            let message = message(&body, &id, unverified_kind);
            let attempt = self.send(message, &self.streams.events, "");
            match timeout_at(deadline, attempt).await {
                Ok(Ok(stored)) => return Ok(stored),
                Ok(Err(error)) => {
                    let kind = error.kind();
                    may_be_stored |= kind == TimedOut || kind == BrokenPipe;
                    cause = error.to_string();
                }
                Err(_) => return Err(StoreError::Unconfirmed),
            }
            if Instant::now() + RETRY_DELAY > deadline {
                break;
            }
            sleep(RETRY_DELAY).await;
        }
        Err(match may_be_stored {
            true => StoreError::Unconfirmed,
            false => StoreError::NotStored(cause),
        })
    }

    /// Returns a worker's first dead letter whose number is at least `number`.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond.
    pub async fn dead_letter(&self, worker: &str, number: u64) -> Result<Option<DeadLetter>> {
        let subject = self.dead_subject(worker);
        let stream = self.dead_stream().await?;
        let found = stream.get_first_raw_message_by_subject(subject, number);
        match found.await {
            Ok(message) => {
                let header = |name| text(Some(&message.headers), name);
                let sequence = header(SEQUENCE_HEADER).and_then(|text| text.parse().ok());
                Ok(Some(DeadLetter {
                    number: message.sequence,
                    sequence: sequence.unwrap_or_default(),
                    reason: header(REASON_HEADER).unwrap_or_default(),
                    kind: header(KIND_HEADER),
                    stored_at: message.time.unix_timestamp_nanos(),
                    body: message.payload,
                    worker: worker.to_owned(),
                }))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(QueueError::during("read a dead letter")(error)),
        }
    }

    /// Stores a dead letter as a new event, which only its worker handles, and deletes it.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond. Call it again then: within
    /// [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW), the event is stored only once.
    pub async fn replay(&self, letter: &DeadLetter) -> Result<()> {
        let (worker, number, stored_at) = (&letter.worker, letter.number, letter.stored_at);
        let id = format!("replay-{worker}-{number}-{stored_at}");
        let message = message(&letter.body, &id, letter.kind.as_deref())
            .header(WORKER_HEADER, worker.as_str());
        let sent = self.send(message, &self.streams.events, "").await;
        sent.map_err(QueueError::during("replay a dead letter"))?;
        // The number may belong to another dead letter by now.
        let found = self.dead_letter(worker, number).await?;
        if found.is_some_and(|found| found == *letter) {
            let stream = self.dead_stream().await?;
            let deleted = stream.delete_message(number).await;
            deleted.map_err(QueueError::during("delete a dead letter"))?;
        }
        Ok(())
    }

    /// Stores an event that failed permanently.
    pub(crate) async fn store_dead_letter(
        &self,
        worker: &str,
        event: &Event,
        reason: &str,
    ) -> Result<()> {
        // A line break would end the header.
        let reason = reason.replace(char::is_control, " ");
        let reason: String = reason.chars().take(MAX_REASON).collect();
        let id = format!("dead-{worker}-{}", event.identity());
        let message = message(&event.body, &id, event.unverified_kind.as_deref())
            .header(SEQUENCE_HEADER, event.sequence.to_string().as_str())
            .header(REASON_HEADER, reason.as_str());
        let sent = self.send(message, &self.streams.dead_letters, worker).await;
        sent.map_err(QueueError::during("store a dead letter"))?;
        Ok(())
    }

    fn dead_subject(&self, worker: &str) -> String {
        self.streams.dead_letters.subjects[0].replace('*', worker)
    }

    /// Returns the number of dead letters of a worker.
    pub(super) async fn count_dead_letters(&self, worker: &str) -> Result<u64> {
        let failed = || QueueError::during("count the dead letters");
        let subject = self.dead_subject(worker);
        let stream = self.dead_stream().await?;
        let counts = stream.info_with_subjects(subject).await;
        let counts = counts.map_err(failed())?;
        let sum = counts.try_fold(0, async |sum, (_, count)| Ok(sum + count as u64));
        sum.await.map_err(failed())
    }

    /// Sends a message to this stream, with the subject of the worker if it has several, and waits for the
    /// acknowledgement. Another stream with the same subject rejects the message.
    async fn send(
        &self,
        message: PublishMessage,
        stream: &Config,
        worker: &str,
    ) -> Result<PublishAck, PublishError> {
        let message = message.expected_stream(&stream.name);
        let message = message.outbound_message(stream.subjects[0].replace('*', worker));
        let headers = message.headers.unwrap_or_default();
        let publish = async || {
            let (subject, payload) = (message.subject.clone(), message.payload.clone());
            let context = &self.context;
            let published = context.publish_with_headers(subject, headers.clone(), payload);
            published.await?.await
        };
        match publish().await {
            Err(error) if error.kind() == StreamNotFound => {
                self.create_lost_streams().await;
                publish().await
            }
            sent => sent,
        }
    }
}

/// An error that the receiver reports with 413 if the body is too large, otherwise with 503.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The body and [`MAX_HEADER_BYTES`] exceed the `max_payload` of the broker.
    #[error("the broker accepts bodies of up to {limit} bytes; raise its max_payload")]
    TooLarge {
        /// The maximum length of a body in bytes.
        limit: usize,
    },
    /// The limit [`MAX_PENDING_BYTES`] is reached.
    #[error("too many deliveries are pending; start another receiver, or check the broker")]
    TooManyPending,
    /// The delivery is not stored, nor will it be.
    #[error("{0}")]
    NotStored(String),
    /// The delivery was sent to the broker, which did not acknowledge it. It may be stored.
    #[error("no acknowledgement from the broker; the delivery may be stored nevertheless")]
    Unconfirmed,
}

/// Creates a message, which the broker stores once for each ID.
fn message(body: &Bytes, id: &str, unverified_kind: Option<&str>) -> PublishMessage {
    let message = PublishMessage::build().payload(body.clone()).message_id(id);
    match unverified_kind {
        Some(kind) => message.header(KIND_HEADER, kind),
        None => message,
    }
}

/// Returns the text of a header.
pub(crate) fn text(headers: Option<&HeaderMap>, name: &str) -> Option<String> {
    Some(headers?.get(name)?.as_str().to_owned())
}
