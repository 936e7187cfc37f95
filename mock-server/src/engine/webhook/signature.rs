//! `X-Service-Signature`: `sha256=` and the HMAC-SHA256 of the body (section Authentication of the
//! specification).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::secret::WebhookSecret;
use crate::engine::SignatureEncoding;

/// Returns the value of the header for this exact body.
pub(super) fn sign(secret: &WebhookSecret, body: &[u8], encoding: SignatureEncoding) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    format!("sha256={}", encoding.encode(&digest))
}
