//! The settings of a dialect for webhook deliveries: the encoding of the digest and the payload.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// The encoding of the digest in `X-Service-Signature`.
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
    /// Encodes a digest, without the prefix `sha256=`.
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
    /// Only the value of `data`, as JSON.
    Bare,
    /// Plain text instead of JSON: the string itself if `data` is a string, otherwise the line
    /// `kind at instant: data`.
    NotJson,
}
