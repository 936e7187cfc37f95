//! Verification of bodies in chunks.

use alloc::vec::Vec;
use core::fmt;
use core::iter;

use hmac::Mac;

use crate::secret::KeyedState;
use crate::{EventKind, EventKindError, Verified, VerifyError};

/// A verifier of one delivery whose body arrives in chunks, created with
/// [`Verifier::start`](crate::Verifier::start).
///
/// Chunks are not authentic until [`finish`](Self::finish) returns `Ok`; do not use them in a way
/// that cannot be undone. With a single secret, it does not allocate.
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

    /// Adds the next chunk of the body, of any length.
    ///
    /// # Errors
    ///
    /// Returns [`VerifyError::TooLarge`] if the body exceeds
    /// [`Verifier::body_limit`](crate::Verifier::body_limit). Stop reading then: all further calls,
    /// including `finish`, return this error.
    pub fn update(&mut self, chunk: impl AsRef<[u8]>) -> Result<(), VerifyError> {
        let chunk = chunk.as_ref();
        self.length = self.length.saturating_add(chunk.len());
        self.check_length()?;
        for mac in iter::once(&mut self.first).chain(&mut self.others) {
            mac.update(chunk);
        }
        Ok(())
    }

    /// Ends the body and compares the digests, in constant time.
    ///
    /// # Errors
    ///
    /// Returns [`VerifyError::Mismatch`] if the body is not authentic, or
    /// [`VerifyError::TooLarge`] if an `update` failed.
    pub fn finish(self) -> Result<Verified<()>, VerifyError> {
        self.check_length()?;
        let mismatch = VerifyError::Mismatch {
            body_length: self.length,
            secrets: 1 + self.others.len(),
        };
        // Clone the states: moving them out of the list would leave copies in freed memory.
        let secret_index = iter::once(&self.first)
            .chain(&self.others)
            .position(|mac| mac.clone().verify_slice(&self.digest).is_ok())
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
