//! Webhook secrets.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

/// A secret that signs deliveries. (Specification: Events.)
///
/// It stores the keyed state of HMAC instead of the bytes. It does not implement `Display`, and its
/// `Debug` output is redacted. The state is zeroed on drop, but copies left on the stack are not.
#[derive(Clone)]
pub struct Secret {
    // In a box, so that moving a secret, for example in a growing list, leaves no copies behind.
    keyed: Box<KeyedState>,
}

/// HMAC keyed with the secret, possibly updated with a part of a body.
pub(crate) type KeyedState = Hmac<Sha256>;

/// The reason why bytes are not a valid secret. The message does not contain them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The secret is empty.
    #[error("the webhook secret is empty; pass the secret that the service signs with")]
    Empty,
    /// All bytes are NUL. HMAC treats up to 64 of them like an empty secret.
    #[error(
        "the webhook secret consists only of NUL bytes; pass the secret that the service signs with"
    )]
    OnlyNul,
    /// All bytes are spaces, tabs, carriage returns or newlines.
    #[error(
        "the webhook secret consists only of whitespace; pass the secret that the service signs with"
    )]
    OnlyWhitespace,
    /// The first or last byte is a space, tab, carriage return or newline, or the first bytes are a byte order
    /// mark.
    #[error(
        "the webhook secret starts or ends with whitespace or a byte order mark, such as the newline at the end \
         of a file; trim it, or use Secret::with_surrounding_whitespace if it is part of \
         the secret"
    )]
    SurroundingWhitespace,
}

impl Secret {
    /// Creates a secret from text or binary data of any length.
    ///
    /// A `String` or `Vec<u8>` is zeroed after use. The caller is responsible for the bytes of a
    /// slice.
    ///
    /// # Errors
    ///
    /// Returns a [`SecretError`] if the secret is empty, if it consists only of NUL or whitespace,
    /// or if it has leading or trailing whitespace, such as the newline at the end of a file, or a leading byte
    /// order mark. Whitespace is space, tab, carriage return and newline.
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
        let is_at = |end: Option<&u8>| end.is_some_and(is_whitespace);
        if is_at(bytes.first()) || is_at(bytes.last()) || bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(SecretError::SurroundingWhitespace);
        }
        Ok(secret)
    }

    /// Creates a secret that may have leading or trailing whitespace, such as a binary one.
    ///
    /// # Errors
    ///
    /// Returns a [`SecretError`] if the secret is empty, or if it consists only of NUL or
    /// whitespace.
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
        // Keying hashes two blocks, so do it once instead of for each delivery.
        let keyed = KeyedState::new_from_slice(bytes).expect("HMAC takes keys of any length");
        let keyed = Box::new(keyed);
        Ok(Self { keyed })
    }

    /// Returns a copy of the keyed state, for one delivery, updated with a body or the start of one.
    pub(crate) fn mac(&self, body: &[u8]) -> KeyedState {
        (*self.keyed).clone().chain_update(body)
    }
}

#[cfg(feature = "json")]
impl<'de> serde::Deserialize<'de> for Secret {
    /// Deserializes a string with [`Secret::new`]. Errors do not show the secret, but `toml` quotes the line:
    /// print only `toml::de::Error::message`.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;

        // The original error would show a secret that consists of digits.
        let text = alloc::string::String::deserialize(deserializer);
        let text =
            text.map_err(|_| Error::custom("the webhook secret is not a string; put it in quotes"));
        Self::new(text?).map_err(Error::custom)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// Vertical tab and form feed do not count: editors and shells do not add them, and published test
/// keys consist of them.
fn is_whitespace(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use hmac::EagerHash;
    use zeroize::ZeroizeOnDrop;

    use super::*;

    /// `Hmac` itself does not implement `ZeroizeOnDrop`; the hash states derived from the key do.
    #[test]
    fn keyed_state_is_zeroed_on_drop() {
        fn is_zeroed<T: ZeroizeOnDrop>() {}
        is_zeroed::<<Sha256 as EagerHash>::Core>();
    }
}
