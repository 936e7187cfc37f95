//! Lenient parsing of signature headers.

use alloc::vec;
use alloc::vec::Vec;

use super::Fix;
use crate::signature::{self, hex};
use crate::{DigestEncoding, VerifyError};

/// A digest of 20 (SHA-1) or 32 bytes (SHA-256), with the fixes for its format.
pub(super) struct ParsedSignature {
    pub(super) digest: Vec<u8>,
    pub(super) fixes: Vec<Fix>,
}

impl ParsedSignature {
    /// # Errors
    ///
    /// Returns the error of the strict parser if no digest can be parsed.
    pub(super) fn parse(value: &[u8], encoding: DigestEncoding) -> Result<Self, VerifyError> {
        let mut fixes = vec![];
        let trimmed = trim(value);
        if trimmed != value {
            fixes.push(Fix::SignatureTrimmed);
        }
        let encoded = without_prefix(trimmed, &mut fixes);
        let base64 = || Some(signature::parse_base64(encoded).ok()?.to_vec());
        let (digest, found, fix) = match from_hex(encoded) {
            Some(digest) => (Some(digest), DigestEncoding::Hex, Fix::Hex),
            None => (base64(), DigestEncoding::Base64, Fix::Base64),
        };
        if found != encoding {
            fixes.push(fix);
        }
        match digest {
            Some(digest) if digest.len() == 32 => Ok(Self { digest, fixes }),
            Some(digest) if digest.len() == 20 => {
                fixes.push(Fix::Sha1);
                Ok(Self { digest, fixes })
            }
            _ => Err(signature::parse(value, encoding)
                .err()
                .unwrap_or(VerifyError::BadPrefix)),
        }
    }
}

fn trim(value: &[u8]) -> &[u8] {
    let is_ignored = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let start = value.iter().position(|byte| !is_ignored(byte));
    let end = value.iter().rposition(|byte| !is_ignored(byte));
    match (start, end) {
        (Some(start), Some(end)) => &value[start..=end],
        _ => &[],
    }
}

/// Removes a prefix: any short name followed by `=` or `:`.
fn without_prefix<'v>(value: &'v [u8], fixes: &mut Vec<Fix>) -> &'v [u8] {
    for prefix in [&b"sha256="[..], b"sha1="] {
        if let Some(encoded) = value.strip_prefix(prefix) {
            return encoded;
        }
    }
    fixes.push(Fix::Prefix);
    let start = &value[..value.len().min(10)];
    match start.iter().position(|byte| matches!(byte, b'=' | b':')) {
        Some(end) => trim(&value[end + 1..]),
        None => value,
    }
}

pub(super) fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks();
    let byte = |&[high, low]: &[u8; 2]| Some(hex::value(high)? << 4 | hex::value(low)?);
    match rest {
        [] => pairs.iter().map(byte).collect(),
        _ => None,
    }
}
