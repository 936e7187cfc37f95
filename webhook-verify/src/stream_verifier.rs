//! Verification of a body that comes in chunks.

use alloc::vec::Vec;
use core::fmt;
use core::iter;

use hmac::Mac;

use crate::secret::KeyedState;
use crate::{EventKind, EventKindError, Verified, VerifyError};

/// A verification whose headers are well formed and whose body is still coming.
///
/// [`Verifier::start`](crate::Verifier::start) makes one. What is handed to
/// [`update`](Self::update) is not authentic before [`finish`](Self::finish)
/// has said so: do nothing with it that cannot be undone. With a single secret
/// nothing is allocated.
pub struct StreamVerifier {
    first: KeyedState,
    others: Vec<KeyedState>,
    digest: [u8; 32],
    event_kind: Result<EventKind, EventKindError>,
    length: usize,
    limit: usize,
}

impl StreamVerifier {
    pub(crate) fn new(
        first: KeyedState,
        others: Vec<KeyedState>,
        digest: [u8; 32],
        event_kind: Result<EventKind, EventKindError>,
        limit: usize,
    ) -> Self {
        Self {
            first,
            others,
            digest,
            event_kind,
            length: 0,
            limit,
        }
    }

    /// Takes the next chunk of the body, of any length.
    ///
    /// # Errors
    ///
    /// [`VerifyError::TooLarge`] when the body has grown beyond
    /// [`Verifier::body_limit`](crate::Verifier::body_limit). Stop reading; every
    /// further call, `finish` included, gives this error too.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{StreamVerifier, VerifyError};
    ///
    /// fn take(streaming: &mut StreamVerifier, chunk: &[u8], file: &mut Vec<u8>) -> Result<(), VerifyError> {
    ///     streaming.update(chunk)?;
    ///     file.extend_from_slice(chunk);
    ///     Ok(())
    /// }
    /// ```
    pub fn update(&mut self, chunk: impl AsRef<[u8]>) -> Result<(), VerifyError> {
        let chunk = chunk.as_ref();
        self.length = self.length.saturating_add(chunk.len());
        self.check_length()?;
        for mac in iter::once(&mut self.first).chain(&mut self.others) {
            mac.update(chunk);
        }
        Ok(())
    }

    /// Compares the digest of what came, in constant time, once the body has ended.
    ///
    /// # Errors
    ///
    /// [`VerifyError::Mismatch`] when the body is not authentic, and
    /// [`VerifyError::TooLarge`] after an `update` that failed.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{StreamVerifier, Verified, VerifyError};
    ///
    /// fn end(streaming: StreamVerifier) -> Result<Verified<()>, VerifyError> {
    ///     streaming.finish()
    /// }
    /// ```
    pub fn finish(self) -> Result<Verified<()>, VerifyError> {
        self.check_length()?;
        let mismatch = VerifyError::Mismatch {
            body_length: self.length,
            secrets: 1 + self.others.len(),
        };
        let secret_index = iter::once(self.first)
            .chain(self.others)
            .position(|mac| mac.verify_slice(&self.digest).is_ok())
            .ok_or(mismatch)?;
        Ok(Verified::new(
            (),
            self.length,
            self.event_kind,
            secret_index,
        ))
    }

    fn check_length(&self) -> Result<(), VerifyError> {
        if self.length > self.limit {
            return Err(VerifyError::TooLarge {
                length: self.length as u64,
                limit: self.limit,
            });
        }
        Ok(())
    }
}

impl fmt::Debug for StreamVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamVerifier")
            .field("length", &self.length)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
