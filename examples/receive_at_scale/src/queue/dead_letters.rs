//! Events that failed permanently, in a stream of their own.

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use futures_util::TryStreamExt;

use super::{KIND_HEADER, Queue, QueueError, Result, WORKER_HEADER, message};
use crate::recent_events::Identity;

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
        event: &Message,
        (sequence, stored_at): Identity,
        reason: &str,
    ) -> Result<()> {
        // A line break would end the header.
        let reason = reason.replace(char::is_control, " ");
        let reason: String = reason.chars().take(MAX_REASON).collect();
        let id = format!("dead-{worker}-{sequence}-{stored_at}");
        let kind = text(event.headers.as_ref(), KIND_HEADER);
        let message = message(&event.payload, &id, kind.as_deref())
            .header(SEQUENCE_HEADER, sequence.to_string().as_str())
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
}

/// Returns the text of a header.
pub(crate) fn text(headers: Option<&HeaderMap>, name: &str) -> Option<String> {
    Some(headers?.get(name)?.as_str().to_owned())
}
