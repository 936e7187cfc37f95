//! The webhook secret: checked when it is made, never shown, zeroed on drop.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A secret that signs deliveries (section Authentication of the specification).
///
/// It holds HMAC's keyed state rather than the bytes, so that each delivery
/// starts from a copy of that state. It has no `Display`, its `Debug` shows
/// nothing, and both the state and the bytes given are zeroed on drop. What
/// moving and hashing leave on the stack is beyond its reach.
#[derive(Clone)]
pub struct Secret {
    keyed: KeyedState,
}

/// HMAC that has taken in the secret, and perhaps a part of a body.
pub(crate) type KeyedState = Hmac<Sha256>;

/// Why bytes cannot be a secret. The text never shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretError {
    /// There are no bytes.
    Empty,
    /// All bytes are NUL: up to 64 of them are the same key to HMAC as an empty secret.
    OnlyNul,
    /// All bytes are spaces, tabs, carriage returns or newlines.
    OnlyWhitespace,
    /// The first or last byte is a space, tab, carriage return or newline.
    SurroundingWhitespace,
}

impl Secret {
    /// A secret of the given bytes: text or binary, of any length.
    ///
    /// A `String` or `Vec<u8>` passed by value is zeroed too; a slice is
    /// copied, and its own bytes stay the caller's.
    ///
    /// # Errors
    ///
    /// [`SecretError`] when the bytes are empty, all NUL or all white space,
    /// or have white space at an end: most often the newline of a file. White
    /// space here is space, tab, carriage return and newline.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Secret, SecretError};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// assert_eq!(Secret::new("from a file\n").unwrap_err(), SecretError::SurroundingWhitespace);
    /// # Ok::<(), SecretError>(())
    /// ```
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, SecretError> {
        let bytes = Zeroizing::new(bytes.into());
        let secret = Self::from_bytes(&bytes)?;
        if has_surrounding_whitespace(&bytes) {
            return Err(SecretError::SurroundingWhitespace);
        }
        Ok(secret)
    }

    /// Like [`Secret::new`], for a secret to which the white space at its
    /// ends belongs, as it can to a binary one.
    ///
    /// # Errors
    ///
    /// [`SecretError`] when the bytes are empty, all NUL or all white space.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Secret;
    ///
    /// let secret = Secret::with_surrounding_whitespace(b"\x9f\x1c\xe2\x0a")?;
    /// # Ok::<(), webhook_verify::SecretError>(())
    /// ```
    pub fn with_surrounding_whitespace(bytes: impl Into<Vec<u8>>) -> Result<Self, SecretError> {
        Self::from_bytes(&Zeroizing::new(bytes.into()))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, SecretError> {
        if bytes.is_empty() {
            return Err(SecretError::Empty);
        }
        if bytes.iter().all(|&byte| byte == 0) {
            return Err(SecretError::OnlyNul);
        }
        if bytes.iter().all(is_whitespace) {
            return Err(SecretError::OnlyWhitespace);
        }
        // Keying hashes two blocks, so it is done once and not for each delivery.
        let keyed = KeyedState::new_from_slice(bytes).expect("HMAC takes keys of any length");
        Ok(Self { keyed })
    }

    /// The HMAC-SHA256 of `body`.
    pub(crate) fn digest(&self, body: &[u8]) -> [u8; 32] {
        self.keyed()
            .chain_update(body)
            .finalize()
            .into_bytes()
            .into()
    }

    /// Whether `digest` is that of `body`, in time that does not depend on where they differ.
    pub(crate) fn authenticates(&self, body: &[u8], digest: &[u8; 32]) -> bool {
        self.keyed().chain_update(body).verify_slice(digest).is_ok()
    }

    /// A copy of the keyed state, for one delivery.
    pub(crate) fn keyed(&self) -> KeyedState {
        self.keyed.clone()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => {
                "the webhook secret is empty, so anyone could sign with it; \
                 pass the secret that the service signs with"
            }
            Self::OnlyNul => {
                "the webhook secret is nothing but NUL bytes, so anyone could sign with it; \
                 pass the secret that the service signs with"
            }
            Self::OnlyWhitespace => {
                "the webhook secret is nothing but white space; \
                 pass the secret that the service signs with"
            }
            Self::SurroundingWhitespace => {
                "the webhook secret begins or ends with white space, most often a file's newline; \
                 trim it, or use Secret::with_surrounding_whitespace if it belongs to the secret"
            }
        })
    }
}

impl Error for SecretError {}

fn has_surrounding_whitespace(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(is_whitespace) || bytes.last().is_some_and(is_whitespace)
}

/// Vertical tab and form feed do not count: no editor or shell adds them, and
/// published test keys are made of them.
fn is_whitespace(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use hmac::EagerHash;
    use zeroize::ZeroizeOnDrop;

    use super::*;

    /// `Hmac` has no marker of its own; what it keeps of the key is two of these.
    #[test]
    fn the_keyed_state_is_zeroed_on_drop() {
        fn is_zeroed<T: ZeroizeOnDrop>() {}
        is_zeroed::<<Sha256 as EagerHash>::Core>();
    }
}
