//! The value of `X-Service-Signature`: `sha256=` and 64 hex digits, written and read.

use alloc::string::String;

use hex::FromHexError;

use crate::{Secret, VerifyError};

const PREFIX: &str = "sha256=";

/// Signs `body` as the service does: `sha256=` and the HMAC-SHA256 of the
/// body in lower-case hex, the value of the `X-Service-Signature` header.
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
    String::from(PREFIX) + &hex::encode(secret.digest(body.as_ref()))
}

/// Reads the digest out of the header's value, which holds nothing else.
pub(crate) fn parse(value: &[u8]) -> Result<[u8; 32], VerifyError> {
    let encoded = value
        .strip_prefix(PREFIX.as_bytes())
        .ok_or_else(|| bad_prefix(value))?;
    // Asked before decoding, which would only say that 44 bytes are too few.
    if looks_like_base64(encoded) {
        return Err(VerifyError::LooksLikeBase64);
    }
    let mut digest = [0; 32];
    hex::decode_to_slice(encoded, &mut digest).map_err(|reason| not_hex(&reason, encoded))?;
    Ok(digest)
}

fn bad_prefix(value: &[u8]) -> VerifyError {
    if value.starts_with(b"sha1=") {
        VerifyError::Sha1Offered
    } else {
        VerifyError::BadPrefix
    }
}

/// 32 bytes are 43 base64 digits and one `=`.
fn looks_like_base64(encoded: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match encoded {
        [digits @ .., b'='] => digits.len() == 43 && digits.iter().all(is_digit),
        _ => false,
    }
}

fn not_hex(reason: &FromHexError, encoded: &[u8]) -> VerifyError {
    match *reason {
        FromHexError::InvalidHexCharacter { index, .. } => VerifyError::NotHex {
            position: index,
            byte: encoded[index],
        },
        FromHexError::OddLength | FromHexError::InvalidStringLength => VerifyError::BadLength {
            length: encoded.len(),
        },
    }
}
