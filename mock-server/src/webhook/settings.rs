//! Where the specification is silent about deliveries: encoding, payload and time-out.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How deliveries are made.
///
/// ```
/// use std::time::Duration;
/// use mock_server::{SignatureEncoding, WebhookPayload, WebhookSettings};
///
/// let settings = WebhookSettings::default();
/// assert_eq!(settings.signature_encoding, SignatureEncoding::Hex);
/// assert_eq!(settings.payload, WebhookPayload::Envelope);
/// assert_eq!(settings.timeout(), Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookSettings {
    /// How the digest is written into `X-Service-Signature`.
    pub signature_encoding: SignatureEncoding,
    /// What the body of a delivery looks like.
    pub payload: WebhookPayload,
    /// How long a delivery may take in all, from the connection to the end of the answer, in
    /// milliseconds; 10,000 unless set.
    pub timeout_milliseconds: u64,
}

impl WebhookSettings {
    /// How long a delivery may take in all.
    ///
    /// ```
    /// let settings = mock_server::WebhookSettings::default();
    /// assert_eq!(settings.timeout().as_millis(), 10_000);
    /// ```
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_milliseconds)
    }
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self {
            signature_encoding: SignatureEncoding::default(),
            payload: WebhookPayload::default(),
            timeout_milliseconds: 10_000,
        }
    }
}

/// How the digest is written behind `sha256=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureEncoding {
    /// 64 hexadecimal digits in lower case.
    #[default]
    Hex,
    /// 44 characters of base64 with padding.
    Base64,
}

/// What the body of a delivery looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookPayload {
    /// `{"type": kind, "created_at": RFC 3339, "data": data}`
    #[default]
    Envelope,
    /// The data alone, as JSON.
    Bare,
    /// No JSON: data that is a string is sent as that text, and other data within the line
    /// `kind at RFC 3339: data`.
    NotJson,
}
