//! Digests of bodies, which identify deliveries.

use core::fmt;

use sha2::{Digest, Sha256};

/// The SHA-256 digest of an authentic body, from
/// [`Verified::body_digest`](crate::Verified::body_digest).
///
/// Deliveries have no id, so this is the only key that the specification offers for recognizing a
/// repeated one. It does not depend on the secret. `Display` prints 64 lower-case hex digits.
///
/// # Examples
///
/// ```
/// use webhook_verify::Verified;
///
/// fn row_key(delivery: &Verified<Vec<u8>>) -> String {
///     delivery.body_digest().to_string()
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyDigest([u8; 32]);

impl BodyDigest {
    pub(crate) fn new(body: &[u8]) -> Self {
        Self(Sha256::digest(body).into())
    }

    /// Returns the 32 bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BodyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
