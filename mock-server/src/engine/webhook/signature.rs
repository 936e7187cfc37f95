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

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        br#"{"type":"follow.created","created_at":"2026-03-01T12:00:00Z","data":{"from":"grace"}}"#;

    fn signature(body: &[u8], encoding: SignatureEncoding) -> String {
        sign(&WebhookSecret::new("whsec_test").unwrap(), body, encoding)
    }

    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    #[test]
    fn signatures_match_openssl() {
        assert_eq!(
            signature(BODY, SignatureEncoding::Hex),
            "sha256=a776045ffd662a4914ffdb669a1fbdadbeeb850ff36b4da9ad17952694c53623"
        );
        assert_eq!(
            signature(BODY, SignatureEncoding::Base64),
            "sha256=p3YEX/1mKkkU/9tmmh+9rb7rhQ/za02prReVJpTFNiM="
        );
        assert_eq!(
            signature(b"\xff\0raw", SignatureEncoding::Hex),
            "sha256=f1f7cef47e298c4cc2e8d6f0f92835522d492ba3505a7709b925e52413b82702"
        );
    }
}
