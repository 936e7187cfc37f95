//! Storing deliveries.

use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

use super::{KIND_HEADER, Queue, RETRY_DELAY, SUBJECT};

/// Maximum time to store a delivery; after that, the receiver responds with 503.
///
/// The specification does not define the timeout of the service. This leaves time for the response
/// within ten seconds, a common timeout.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(8);

/// Maximum number of deliveries per receiver that wait to be stored. The receiver responds to
/// others with 503.
pub const MAX_PENDING: usize = 256;

/// Bytes of the broker's `max_payload` that are reserved for the headers of an event or dead letter.
pub const MAX_HEADER_BYTES: usize = 4096;

impl Queue {
    /// Stores a body and waits for the broker's acknowledgement.
    ///
    /// `unverified_kind` is the event kind in the header, which the signature does not cover.
    ///
    /// Retries failed attempts until [`STORE_TIMEOUT`] with the same message id, so that the body
    /// is stored only once. Without a key, the id is unique to this call.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError`] if the body is larger than the broker accepts, if too many deliveries
    /// are pending, or if the acknowledgement does not arrive in time. In the last case, the broker
    /// may have stored the body.
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
        let limit = self.max_body_bytes();
        if body.len() > limit {
            return Err(StoreError::TooLarge { limit });
        }
        let _permit = self
            .permits
            .try_acquire()
            .map_err(|_| StoreError::TooManyPending)?;
        let deadline = Instant::now() + STORE_TIMEOUT;
        // A key may be long or contain characters that are invalid in a header.
        let id = match key {
            Some(key) => hex::encode(Sha256::digest(key)),
            None => self.new_id(),
        };
        let mut last_error = None;
        while let Ok(outcome) =
            timeout_at(deadline, self.attempt(&body, &id, unverified_kind)).await
        {
            match outcome {
                Ok(ack) => {
                    return Ok(Stored {
                        sequence: ack.sequence,
                        is_duplicate: ack.duplicate,
                    });
                }
                Err(error) => last_error = Some(error),
            }
            sleep(RETRY_DELAY).await;
        }
        Err(StoreError::Timeout(last_error.map(Box::new)))
    }

    fn max_body_bytes(&self) -> usize {
        let max_payload = self.context.client().max_payload();
        max_payload.saturating_sub(MAX_HEADER_BYTES)
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
}

/// The broker's acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The sequence number of the event in the stream.
    pub sequence: u64,
    /// `true` if the event was already stored within
    /// [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW).
    pub is_duplicate: bool,
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
