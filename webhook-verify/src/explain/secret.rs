//! What a secret may have been before somebody copied it.

use alloc::vec;
use alloc::vec::Vec;

use super::claim::{from_base64, from_hex};
use super::{Change, Variant};
use crate::hex;

/// The secret itself and its variants, none of them empty: everyone knows the empty secret.
pub(super) fn variants(secret: &[u8]) -> Vec<Variant> {
    let changed = [
        (Change::SecretTrimmed, Some(secret.trim_ascii().to_vec())),
        (Change::SecretWithNewline, Some([secret, b"\n"].concat())),
        (Change::SecretWithCrLf, Some([secret, b"\r\n"].concat())),
        (Change::SecretUnquoted, unquoted(secret)),
        (Change::SecretFromHex, from_hex(secret)),
        (Change::SecretAsHex, Some(hex::encode(secret).into_bytes())),
        (Change::SecretFromBase64, from_base64(secret)),
    ];
    let mut variants = vec![(vec![], secret.to_vec())];
    for (change, bytes) in changed {
        match bytes {
            Some(bytes) if bytes != secret => variants.push((vec![change], bytes)),
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
