//! What the specification leaves open about a delivery: the digest's letters and the body's shape.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// How the digest in `X-Service-Signature` is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SignatureEncoding {
    /// Hexadecimal digits in lower case.
    #[default]
    Hex,
    /// Base64 with `+`, `/` and padding (RFC 4648, section 4).
    Base64,
}

impl SignatureEncoding {
    /// The digest as text, without the `sha256=` before it.
    ///
    /// ```
    /// use mock_server::dialect::SignatureEncoding;
    ///
    /// assert_eq!(SignatureEncoding::Hex.encode(&[0xfb, 0xff]), "fbff");
    /// assert_eq!(SignatureEncoding::Base64.encode(&[0xfb, 0xff]), "+/8=");
    /// ```
    pub fn encode(self, digest: &[u8]) -> String {
        match self {
            Self::Hex => hex::encode(digest),
            Self::Base64 => STANDARD.encode(digest),
        }
    }
}

/// The shape of the body of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WebhookPayload {
    /// `{"type": "follow.created", "created_at": "2026-03-01T12:00:00Z", "data": {…}}`.
    #[default]
    Envelope,
    /// What stands under `data` alone, as JSON.
    Bare,
    /// No JSON: data that is a string is sent as that text, and other data within the line
    /// `kind at instant: data`.
    NotJson,
}
