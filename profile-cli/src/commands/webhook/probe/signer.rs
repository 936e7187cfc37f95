//! Signatures of genuine and forged deliveries.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{EagerHash, Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};
use webhook_verify::DigestEncoding;

/// Creates signatures with the webhook secret.
#[derive(Clone, Copy)]
pub(super) struct Signer<'s> {
    secret: &'s [u8],
    encoding: DigestEncoding,
}

impl<'s> Signer<'s> {
    pub(super) fn new(secret: &'s [u8], encoding: DigestEncoding) -> Self {
        Self { secret, encoding }
    }

    /// Returns a signer with another secret.
    pub(super) fn with_secret<'o>(self, secret: &'o [u8]) -> Signer<'o> {
        let encoding = self.encoding;
        Signer { secret, encoding }
    }

    /// Returns a signer with the encoding that is not expected.
    pub(super) fn with_other_encoding(self) -> Self {
        let encoding = match self.encoding {
            DigestEncoding::Base64 => DigestEncoding::Hex,
            _ => DigestEncoding::Base64,
        };
        Self { encoding, ..self }
    }

    /// Signs a body as the service does.
    pub(super) fn sign(&self, body: &str) -> String {
        self.signature(&self.digest(body))
    }

    /// Returns the value of the header for a digest.
    pub(super) fn signature(&self, digest: &[u8]) -> String {
        format!("sha256={}", self.encode(digest))
    }

    pub(super) fn digest(&self, body: &str) -> Vec<u8> {
        hmac::<Sha256>(self.secret, body)
    }

    /// Returns the digest of the body with SHA-1, which must not be used for signatures.
    pub(super) fn sha1(&self, body: &str) -> Vec<u8> {
        hmac::<Sha1>(self.secret, body)
    }

    pub(super) fn sha512(&self, body: &str) -> Vec<u8> {
        hmac::<Sha512>(self.secret, body)
    }

    pub(super) fn encode(&self, digest: &[u8]) -> String {
        match self.encoding {
            DigestEncoding::Base64 => BASE64_STANDARD.encode(digest),
            _ => digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// Returns the SHA-256 digest of a body, which needs no secret.
pub(super) fn sha256(body: &str) -> Vec<u8> {
    Sha256::digest(body).to_vec()
}

fn hmac<D: EagerHash>(secret: &[u8], body: &str) -> Vec<u8> {
    let hmac = Hmac::<D>::new_from_slice(secret).expect("HMAC takes keys of any length");
    hmac.chain_update(body).finalize().into_bytes().to_vec()
}
