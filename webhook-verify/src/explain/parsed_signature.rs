//! Lenient parsing of signature headers.

use alloc::vec;
use alloc::vec::Vec;

use super::Fix;
use crate::signature;
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
        let trimmed = value.trim_ascii();
        if trimmed != value {
            fixes.push(Fix::SignatureTrimmed);
        }
        let encoded = without_prefix(trimmed, &mut fixes);
        let base64 = || Some(signature::parse_base64(encoded).ok()?.to_vec());
        let (digest, found, fix) = match hex::decode(encoded) {
            Ok(digest) => (Some(digest), DigestEncoding::Hex, Fix::Hex),
            Err(_) => (base64(), DigestEncoding::Base64, Fix::Base64),
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
        Some(end) => value[end + 1..].trim_ascii(),
        None => value,
    }
}
