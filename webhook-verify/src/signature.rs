//! The two headers of a delivery, signing, parsing of the value of `X-Service-Signature`, and the errors of
//! verification.

use alloc::string::String;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hex::FromHexError;
use hmac::Mac as _;
use thiserror::Error;

use crate::event::{EventKind, EventKindError};
use crate::secret::Secret;

/// The name of the header with the signature, in lower case as in HTTP/2.
pub const SIGNATURE_HEADER: &str = "x-service-signature";

/// The name of the header with the event kind, in lower case as in HTTP/2.
pub const EVENT_HEADER: &str = "x-service-event";

// Arrays, because comparing arrays of the same length takes a few instructions.
const SIGNATURE_NAME: &[u8; 19] = array_of(SIGNATURE_HEADER);
const EVENT_NAME: &[u8; 15] = array_of(EVENT_HEADER);

const fn array_of<const LENGTH: usize>(name: &'static str) -> &'static [u8; LENGTH] {
    name.as_bytes().first_chunk().expect("the lengths match")
}

/// The signature and event kind headers of a delivery, as raw bytes. (Specification: Events.)
#[derive(Debug, Clone, Copy)]
pub struct Headers<'h> {
    signature: Values<'h>,
    event: Values<'h>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Values<'h> {
    count: usize,
    last: &'h [u8],
}

impl<'h> Headers<'h> {
    /// Finds the two headers in all headers of a request. Names are case-insensitive.
    ///
    /// Accepts pairs of names and values that can be read as bytes: `&http::HeaderMap`, or an
    /// iterator over a slice or map.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Headers;
    ///
    /// let map = http::HeaderMap::new();
    /// let headers = Headers::new(&map);
    ///
    /// let pairs = vec![("x-service-event".to_owned(), b"post.liked".to_vec())];
    /// let headers = Headers::new(pairs.iter().map(|(name, value)| (name, value)));
    /// ```
    pub fn new<'n, N, V>(pairs: impl IntoIterator<Item = (&'n N, &'h V)>) -> Self
    where
        N: AsRef<[u8]> + ?Sized + 'n,
        V: AsRef<[u8]> + ?Sized + 'h,
    {
        let (mut signature, mut event) = (Values::default(), Values::default());
        // Check all pairs, because a second signature can be anywhere.
        for (name, value) in pairs {
            let values = match name.as_ref() {
                name if is_named(name, SIGNATURE_NAME) => &mut signature,
                name if is_named(name, EVENT_NAME) => &mut event,
                _ => continue,
            };
            values.count += 1;
            values.last = value.as_ref();
        }
        Self { signature, event }
    }

    pub(crate) fn signature(&self) -> Result<&'h [u8], VerifyError> {
        match self.signature.count {
            0 => Err(VerifyError::SignatureMissing),
            1 => Ok(self.signature.last),
            count => Err(VerifyError::SignatureDuplicate { count }),
        }
    }

    pub(crate) fn event_kind(&self) -> Result<EventKind, EventKindError> {
        match self.event.count {
            0 => Err(EventKindError::Missing),
            1 => EventKind::try_from(self.event.last),
            count => Err(EventKindError::Duplicate { count }),
        }
    }
}

fn is_named<const LENGTH: usize>(name: &[u8], header: &[u8; LENGTH]) -> bool {
    let is_equal = |name: &[u8; LENGTH]| name == header || name.eq_ignore_ascii_case(header);
    name.try_into().is_ok_and(is_equal)
}

#[cfg(feature = "http")]
impl<'h> From<&'h http::HeaderMap> for Headers<'h> {
    fn from(map: &'h http::HeaderMap) -> Self {
        Self::new(map)
    }
}

/// The encoding of the digest after `sha256=`.
///
/// The specification does not define it. A verifier accepts exactly one encoding, hex by default;
/// see [`Verifier::encoding`](crate::Verifier::encoding). (Specification: Open questions.)
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DigestEncoding {
    /// 64 hex digits. Signing writes lower case; verification accepts both cases.
    #[default]
    Hex,
    /// 44 characters of base64 in the standard alphabet (RFC 4648, section 4), with padding.
    Base64,
}

/// Writes the expected format: `64 hex digits` or `44 characters of base64`.
impl fmt::Display for DigestEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hex => "64 hex digits",
            Self::Base64 => "44 characters of base64",
        })
    }
}

const PREFIX: &str = "sha256=";

/// Signs `body` as the service does, and returns the value of the `X-Service-Signature` header:
/// `sha256=` and the HMAC-SHA256 of the body in lower-case hex.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Secret, sign};
///
/// let secret = Secret::new("It's a Secret to Everybody")?;
/// assert_eq!(
///     sign(&secret, "Hello, World!"),
///     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
/// );
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[must_use]
pub fn sign(secret: &Secret, body: impl AsRef<[u8]>) -> String {
    sign_as(DigestEncoding::Hex, secret, body)
}

/// Signs `body` like [`sign`], with the digest in `encoding`.
///
/// # Examples
///
/// ```
/// use webhook_verify::{DigestEncoding, Secret, sign_as};
///
/// let secret = Secret::new("It's a Secret to Everybody")?;
/// assert_eq!(
///     sign_as(DigestEncoding::Base64, &secret, "Hello, World!"),
///     "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc="
/// );
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[must_use]
pub fn sign_as(encoding: DigestEncoding, secret: &Secret, body: impl AsRef<[u8]>) -> String {
    let digest = secret.mac(body.as_ref()).finalize().into_bytes();
    let encoded = match encoding {
        DigestEncoding::Hex => hex::encode(digest),
        DigestEncoding::Base64 => STANDARD.encode(digest),
    };
    String::from(PREFIX) + &encoded
}

/// Parses the value of the header.
pub(crate) fn parse(value: &[u8], encoding: DigestEncoding) -> Result<[u8; 32], VerifyError> {
    let encoded = match value.strip_prefix(PREFIX.as_bytes()) {
        Some(encoded) => encoded,
        None if value.starts_with(b"sha1=") => return Err(VerifyError::Sha1),
        None => return Err(VerifyError::BadPrefix),
    };
    match encoding {
        DigestEncoding::Hex => parse_hex(encoded),
        DigestEncoding::Base64 => parse_base64(encoded),
    }
}

fn parse_hex(encoded: &[u8]) -> Result<[u8; 32], VerifyError> {
    let mut digest = [0; 32];
    match hex::decode_to_slice(encoded, &mut digest) {
        Ok(()) => Ok(digest),
        Err(FromHexError::InvalidHexCharacter { index, .. }) => Err(VerifyError::NotHex {
            position: index,
            byte: encoded[index],
        }),
        Err(_) if parse_base64(encoded).is_ok() => Err(VerifyError::LooksLikeBase64),
        Err(_) => Err(bad_length(encoded, DigestEncoding::Hex)),
    }
}

pub(crate) fn parse_base64(encoded: &[u8]) -> Result<[u8; 32], VerifyError> {
    if encoded.len() != 44 {
        return Err(match hex::decode_to_slice(encoded, &mut [0; 32]) {
            Ok(()) => VerifyError::LooksLikeHex,
            Err(_) => bad_length(encoded, DigestEncoding::Base64),
        });
    }
    // 44 characters without padding decode to 33 bytes.
    let mut bytes = [0; 33];
    match STANDARD.decode_slice(encoded, &mut bytes) {
        Ok(32) => Ok(core::array::from_fn(|index| bytes[index])),
        _ => Err(VerifyError::NotBase64),
    }
}

fn bad_length(encoded: &[u8], encoding: DigestEncoding) -> VerifyError {
    let length = encoded.len();
    VerifyError::BadLength { length, encoding }
}

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
