//! Errors of verification.

use thiserror::Error;

use crate::DigestEncoding;

/// The reason why a delivery is not authentic.
///
/// The message is for the receiver's log. It contains numbers and single bytes of the request, but
/// never a secret, a digest or the body. Respond with an empty 401 whatever the reason, so that
/// forgers learn nothing, except for [`TooLarge`](Self::TooLarge): respond to that with 413.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The request has no `X-Service-Signature` header.
    #[error(
        "the request has no X-Service-Signature header; \
         if the service sent it, check that no proxy removes the header"
    )]
    SignatureMissing,
    /// The request has more than one `X-Service-Signature` header.
    #[error("the request has {count} X-Service-Signature headers; expected exactly one")]
    SignatureDuplicate {
        /// The number of headers, at least 2.
        count: usize,
    },
    /// The signature does not start with `sha256=` in lower case.
    #[error(
        "X-Service-Signature does not start with sha256= in lower case; \
         expected sha256= followed by the digest and nothing else"
    )]
    BadPrefix,
    /// The signature starts with `sha1=`.
    #[error(
        "X-Service-Signature has a SHA-1 digest (sha1=), which is never accepted; \
         expected sha256= followed by the digest"
    )]
    Sha1,
    /// The digest after `sha256=` does not have the length that the encoding requires.
    #[error("X-Service-Signature has a digest of length {length}; expected {encoding}")]
    BadLength {
        /// The number of bytes after `sha256=`.
        length: usize,
        /// The encoding that the receiver accepts: 64 bytes for hex, 44 for base64.
        encoding: DigestEncoding,
    },
    /// A byte of the digest is not a hex digit.
    #[error(
        "X-Service-Signature has a digest with byte {byte:#04x} at position {position} \
         (counted from 0); expected a hex digit"
    )]
    NotHex {
        /// The position of the byte in the digest, counted from 0.
        position: usize,
        /// The byte.
        byte: u8,
    },
    /// The digest is in base64, but the receiver accepts hex.
    #[error(
        "X-Service-Signature has a digest in base64; expected 64 hex digits; \
         if the service uses base64, set Verifier::encoding(DigestEncoding::Base64)"
    )]
    LooksLikeBase64,
    /// The digest has the length of base64, but is not valid base64.
    #[error(
        "X-Service-Signature has a digest that is not valid base64; \
         expected A-Z, a-z, 0-9, + and /, and one = at the end"
    )]
    NotBase64,
    /// The digest is in hex, but the receiver accepts base64.
    #[error(
        "X-Service-Signature has a digest in hex; expected 44 characters of base64; \
         if the service uses hex, set Verifier::encoding(DigestEncoding::Hex)"
    )]
    LooksLikeHex,
    /// The body is longer than the receiver's limit. Respond with 413.
    #[error(
        "the body is too large: at least {length} bytes, maximum {limit}; \
         if the service sends such bodies, raise Verifier::body_limit"
    )]
    TooLarge {
        /// The length from `Content-Length`, or the number of bytes received so far.
        length: u64,
        /// The limit in bytes: [`Verifier::body_limit`](crate::Verifier::body_limit).
        limit: usize,
    },
    /// The signature is well formed, but does not match the body with any of the secrets.
    #[error(
        "X-Service-Signature does not match the body \
         (length in bytes: {body_length}, secrets tried: {secrets}); check the secret, \
         and that the body is verified before anything decodes or parses it"
    )]
    Mismatch {
        /// The length of the body in bytes.
        body_length: usize,
        /// The number of secrets that were tried, at least 1.
        secrets: usize,
    },
}
