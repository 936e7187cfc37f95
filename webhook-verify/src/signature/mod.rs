//! Signing, and parsing of the value of `X-Service-Signature`.

mod digest_encoding;

pub use digest_encoding::DigestEncoding;

use alloc::string::String;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hex::FromHexError;

use crate::{Secret, VerifyError};

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
    let digest = secret.digest(body.as_ref());
    let encoded = match encoding {
        DigestEncoding::Hex => hex::encode(digest),
        DigestEncoding::Base64 => STANDARD.encode(digest),
    };
    String::from(PREFIX) + &encoded
}

/// Parses the value of the header.
pub(crate) fn parse(value: &[u8], encoding: DigestEncoding) -> Result<[u8; 32], VerifyError> {
    let encoded = value
        .strip_prefix(PREFIX.as_bytes())
        .ok_or_else(|| bad_prefix(value))?;
    match encoding {
        DigestEncoding::Hex => parse_hex(encoded),
        DigestEncoding::Base64 => parse_base64(encoded),
    }
}

fn bad_prefix(value: &[u8]) -> VerifyError {
    if value.starts_with(b"sha1=") {
        VerifyError::Sha1
    } else {
        VerifyError::BadPrefix
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
    VerifyError::BadLength {
        length: encoded.len(),
        encoding,
    }
}
