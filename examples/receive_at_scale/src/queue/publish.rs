//! Storing deliveries.

use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind::{BrokenPipe, TimedOut};
use async_nats::jetstream::publish::PublishAck;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep, timeout_at};

use super::{DISCONNECTED, Queue, RETRY_DELAY, message};

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
