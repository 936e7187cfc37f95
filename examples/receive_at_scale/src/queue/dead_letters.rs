//! Events that failed permanently, in a stream of their own.

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use futures_util::TryStreamExt;

use super::{KIND_HEADER, Queue, QueueError, SUBJECT, WORKER_HEADER};

/// The prefix of the subjects of dead letters, followed by the name of the worker.
const DEAD_SUBJECT: &str = "profile.dead.";

const REASON_HEADER: &str = "Profile-Reason";
const SEQUENCE_HEADER: &str = "Profile-Sequence";

/// The maximum length of a stored reason in characters.
const MAX_REASON: usize = 500;

/// An event that failed permanently.
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
}

impl Queue {
    /// Returns the first dead letter of a worker whose number is at least `number`.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond.
    ///
    /// ```no_run
    /// # async fn list(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// let mut next = 1;
    /// while let Some(letter) = queue.dead_letter("mailer", next).await? {
    ///     println!("{} {}", letter.number, letter.reason);
    ///     next = letter.number + 1;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn dead_letter(
        &self,
        worker: &str,
        number: u64,
    ) -> Result<Option<DeadLetter>, QueueError> {
        let subject = format!("{DEAD_SUBJECT}{worker}");
        let stream = self.dead_stream().await?;
        match stream
            .get_first_raw_message_by_subject(subject, number)
            .await
        {
            Ok(message) => Ok(Some(DeadLetter {
                number: message.sequence,
                sequence: text(&message.headers, SEQUENCE_HEADER)
                    .and_then(|sequence| sequence.parse().ok())
                    .unwrap_or_default(),
                reason: text(&message.headers, REASON_HEADER).unwrap_or_default(),
                kind: text(&message.headers, KIND_HEADER),
                body: message.payload,
                worker: worker.to_owned(),
            })),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(cause) => Err(QueueError::new("read a dead letter", cause)),
        }
    }

    /// Stores a dead letter as a new event, which only its worker handles, and deletes it.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond. Call it again then: within
    /// [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW), the event is stored only once.
    ///
    /// ```no_run
    /// # use receive_at_scale::{DeadLetter, Queue, QueueError};
    /// async fn replay(queue: &Queue, letter: &DeadLetter) -> Result<(), QueueError> {
    ///     queue.replay(letter).await
    /// }
    /// ```
    pub async fn replay(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        let failed = |cause: String| QueueError::new("replay a dead letter", cause);
        let mut message = PublishMessage::build()
            .payload(letter.body.clone())
            .message_id(format!("replay-{}-{}", letter.worker, letter.number))
            .header(WORKER_HEADER, letter.worker.as_str());
        if let Some(kind) = &letter.kind {
            message = message.header(KIND_HEADER, kind.as_str());
        }
        let sent = self.send(message.outbound_message(SUBJECT)).await;
        sent.map_err(|cause| failed(cause.to_string()))?;
        let deleted = self
            .dead_stream()
            .await?
            .delete_message(letter.number)
            .await;
        deleted.map_err(|cause| failed(cause.to_string()))?;
        Ok(())
    }

    /// Stores an event that failed permanently.
    pub(crate) async fn store_dead_letter(
        &self,
        worker: &str,
        event: &Message,
        sequence: u64,
        reason: &str,
    ) -> Result<(), QueueError> {
        // A line break would end the header.
        let reason: String = reason
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(MAX_REASON)
            .collect();
        let mut message = PublishMessage::build()
            .payload(event.payload.clone())
            .message_id(format!("dead-{worker}-{sequence}"))
            .header(SEQUENCE_HEADER, sequence.to_string().as_str())
            .header(REASON_HEADER, reason.as_str());
        if let Some(kind) = event
            .headers
            .as_ref()
            .and_then(|headers| text(headers, KIND_HEADER))
        {
            message = message.header(KIND_HEADER, kind.as_str());
        }
        let subject = format!("{DEAD_SUBJECT}{worker}");
        let sent = self.send(message.outbound_message(subject)).await;
        sent.map(|_| ())
            .map_err(|cause| QueueError::new("store a dead letter", cause))
    }

    /// Returns the number of dead letters of a worker.
    pub(super) async fn count_dead_letters(&self, worker: &str) -> Result<u64, QueueError> {
        let failed = |cause: String| QueueError::new("count the dead letters", cause);
        let subject = format!("{DEAD_SUBJECT}{worker}");
        let counts = self.dead_stream().await?.info_with_subjects(subject).await;
        let counts = counts.map_err(|cause| failed(cause.to_string()))?;
        counts
            .try_fold(0, async |sum, (_, count)| Ok(sum + count as u64))
            .await
            .map_err(|cause| failed(cause.to_string()))
    }
}

/// Returns the text of a header.
pub(crate) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| value.as_str().to_owned())
}
