//! Variants of a secret, to find how it was changed.

use alloc::vec;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::parsed_signature::from_hex;
use super::{Fix, Variant};

/// Returns the secret and its variants, except empty ones, because anyone could use those.
pub(super) fn variants(secret: &[u8]) -> Vec<Variant> {
    let candidates = [
        (Fix::SecretTrimmed, Some(secret.trim_ascii().to_vec())),
        (Fix::SecretWithNewline, Some([secret, b"\n"].concat())),
        (Fix::SecretUnquoted, unquoted(secret)),
        (Fix::SecretFromHex, from_hex(secret)),
        (Fix::SecretFromBase64, STANDARD.decode(secret).ok()),
    ];
    let mut variants = vec![(vec![], secret.to_vec())];
    for (fix, bytes) in candidates {
        match bytes {
            Some(bytes) if bytes != secret => variants.push((vec![fix], bytes)),
            _ => {}
        }
    }
    variants.retain(|(_, bytes)| !bytes.is_empty());
    variants
}

fn unquoted(secret: &[u8]) -> Option<Vec<u8>> {
    match secret {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => Some(inner.to_vec()),
        _ => None,
    }
}
