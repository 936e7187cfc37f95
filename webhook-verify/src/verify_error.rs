//! Why a delivery is refused.

use core::error::Error;
use core::fmt;

/// Why a delivery is not authentic, one variant for each reason.
///
/// The text is for the receiver's own log: it holds numbers and single bytes
/// of what came, never a secret, a digest or the body. To the sender answer
/// 401 and nothing else, whatever the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The request has no `X-Service-Signature` header.
    SignatureMissing,
    /// The request has more than one `X-Service-Signature` header.
    SignatureDuplicate {
        /// How many there are, at least 2.
        count: usize,
    },
    /// The signature does not begin with `sha256=` in lower case.
    BadPrefix,
    /// The signature begins with `sha1=`.
    Sha1Offered,
    /// What follows `sha256=` is not 64 bytes long.
    BadLength {
        /// How many bytes follow `sha256=`.
        length: usize,
    },
    /// A byte after `sha256=` is no hex digit.
    NotHex {
        /// Where it stands among the 64, counted from 0.
        position: usize,
        /// The byte itself.
        byte: u8,
    },
    /// What follows `sha256=` is a digest in base64, not in hex.
    LooksLikeBase64,
    /// The signature is well formed, and not the one of this body under any of the secrets.
    Mismatch {
        /// The length of the body in bytes.
        body_length: usize,
        /// How many secrets were tried, at least 1.
        secrets: usize,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SignatureMissing => f.write_str(
                "the request has no X-Service-Signature header; expected exactly one: \
                 refuse it, and if the service sent it look for a proxy that drops headers",
            ),
            Self::SignatureDuplicate { count } => write!(
                f,
                "the request has {count} X-Service-Signature headers; expected exactly one: refuse it"
            ),
            Self::BadPrefix => f.write_str(
                "X-Service-Signature does not begin with sha256= in lower case; \
                 expected sha256= and 64 hex digits, with nothing before, between or after",
            ),
            Self::Sha1Offered => f.write_str(
                "X-Service-Signature offers a SHA-1 digest (sha1=); \
                 expected sha256= and 64 hex digits: refuse it, SHA-1 is never accepted",
            ),
            Self::BadLength { length } => write!(
                f,
                "X-Service-Signature has {length} bytes after sha256=; expected exactly 64 hex digits"
            ),
            Self::NotHex { position, byte } => write!(
                f,
                "X-Service-Signature has byte {byte:#04x} at position {position} after sha256= \
                 (counted from 0); expected only 0-9, a-f and A-F"
            ),
            Self::LooksLikeBase64 => f.write_str(
                "X-Service-Signature holds a digest in base64 (44 characters); \
                 expected 64 hex digits: ask the sender to sign in hex",
            ),
            Self::Mismatch {
                body_length,
                secrets,
            } => write!(
                f,
                "X-Service-Signature is not that of this body ({body_length} bytes) \
                 under any of the receiver's secrets ({secrets}); check that the secret is the sender's \
                 and that the body is verified as it came, before anything decodes or parses it"
            ),
        }
    }
}

impl Error for VerifyError {}
