//! Why a delivery is refused.

use core::error::Error;
use core::fmt;

use crate::DigestEncoding;

/// Why a delivery is not authentic, one variant for each reason.
///
/// The text is for the receiver's own log: it holds numbers and single bytes
/// of what came, never a secret, a digest or the body. To the sender answer
/// an empty 401, whatever the reason; 413 to [`TooLarge`](Self::TooLarge) alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    Sha1,
    /// What follows `sha256=` is not as long as a digest in the receiver's encoding.
    BadLength {
        /// How many bytes follow `sha256=`.
        length: usize,
        /// What the receiver takes: 64 bytes of hex or 44 of base64.
        encoding: DigestEncoding,
    },
    /// A byte after `sha256=` is no hex digit.
    NotHex {
        /// Where it stands among the 64, counted from 0.
        position: usize,
        /// The byte itself.
        byte: u8,
    },
    /// What follows `sha256=` has the form of a digest in base64; the receiver takes hex.
    LooksLikeBase64,
    /// What follows `sha256=` is as long as a digest in base64 and not valid base64.
    NotBase64,
    /// The last base64 digit has bits beyond the 32 bytes of a digest, so the
    /// same digest could be written in another way.
    TrailingBits {
        /// The digit, at position 42.
        digit: u8,
    },
    /// What follows `sha256=` has the form of a digest in hex; the receiver takes base64.
    LooksLikeHex,
    /// The body is longer than the receiver's limit. Answer 413.
    TooLarge {
        /// How many bytes `Content-Length` announces, or have come so far.
        length: u64,
        /// The limit in bytes: [`Verifier::body_limit`](crate::Verifier::body_limit).
        limit: usize,
    },
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
                 expected sha256= and the digest, with nothing before, between or after",
            ),
            Self::Sha1 => f.write_str(
                "X-Service-Signature offers a SHA-1 digest (sha1=); \
                 expected sha256= and the digest: refuse it, SHA-1 is never accepted",
            ),
            Self::TooLarge { length, limit } => write!(
                f,
                "the body has {length} bytes or more; at most {limit} are taken: refuse it, \
                 or raise Verifier::body_limit if the service sends such bodies"
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
            _ => self.fmt_encoding(f),
        }
    }
}

impl VerifyError {
    /// What is wrong with the text after `sha256=`.
    fn fmt_encoding(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X-Service-Signature ")?;
        match *self {
            Self::BadLength { length, encoding } => write!(
                f,
                "has {length} bytes after sha256=; expected exactly {encoding}"
            ),
            Self::NotHex { position, byte } => write!(
                f,
                "has byte {byte:#04x} at position {position} after sha256= \
                 (counted from 0); expected only 0-9, a-f and A-F"
            ),
            Self::LooksLikeBase64 => f.write_str(
                "holds a digest in base64 (44 characters); expected 64 hex digits: \
                 if the service signs so, ask for it with Verifier::encoding(DigestEncoding::Base64)",
            ),
            Self::NotBase64 => f.write_str(
                "is not valid base64 after sha256=; \
                 expected only A-Z, a-z, 0-9, + and /, and one = at the end",
            ),
            Self::TrailingBits { digit } => write!(
                f,
                "ends in {}=, which has bits beyond the 32 bytes of a digest; \
                 expected the one way to write it in base64",
                char::from(digit)
            ),
            _ => f.write_str(
                "holds a digest in hex (64 digits); expected 44 characters of base64: \
                 if the service signs so, take DigestEncoding::Hex, the default, in Verifier::encoding",
            ),
        }
    }
}

impl Error for VerifyError {}
