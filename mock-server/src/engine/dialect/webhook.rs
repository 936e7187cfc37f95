//! What the specification leaves open about a delivery: the digest's letters and the body's shape.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// How the digest in `X-Service-Signature` is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// use mock_server::SignatureEncoding;
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WebhookPayload {
    /// `{"type": "follow.created", "created_at": "2026-03-01T12:00:00Z", "data": {…}}`.
    #[default]
    Envelope,
    /// What stands under `data` alone.
    Bare,
    /// The kind and the instant with a space between them, as plain text.
    NotJson,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    r#type: &'a str,
    created_at: &'a str,
    data: &'a T,
}

impl WebhookPayload {
    /// The body of a delivery. `created_at` is RFC 3339.
    ///
    /// # Errors
    ///
    /// The error of `data`'s own serialisation; a JSON value has none.
    ///
    /// ```
    /// use mock_server::WebhookPayload;
    ///
    /// let data = serde_json::json!({"handle": "grace"});
    /// let body = |payload: WebhookPayload| {
    ///     let bytes = payload.body("follow.created", "2026-03-01T12:00:00Z", &data)?;
    ///     Ok::<_, serde_json::Error>(String::from_utf8_lossy(&bytes).into_owned())
    /// };
    /// assert_eq!(
    ///     body(WebhookPayload::Envelope)?,
    ///     r#"{"type":"follow.created","created_at":"2026-03-01T12:00:00Z","data":{"handle":"grace"}}"#,
    /// );
    /// assert_eq!(body(WebhookPayload::Bare)?, r#"{"handle":"grace"}"#);
    /// assert_eq!(body(WebhookPayload::NotJson)?, "follow.created 2026-03-01T12:00:00Z");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn body(
        self,
        kind: &str,
        created_at: &str,
        data: &impl Serialize,
    ) -> serde_json::Result<Vec<u8>> {
        let r#type = kind;
        match self {
            Self::Envelope => serde_json::to_vec(&Envelope {
                r#type,
                created_at,
                data,
            }),
            Self::Bare => serde_json::to_vec(data),
            Self::NotJson => Ok(format!("{kind} {created_at}").into_bytes()),
        }
    }

    /// The content type that goes with the body.
    ///
    /// ```
    /// use mock_server::WebhookPayload;
    /// assert_eq!(WebhookPayload::Bare.content_type(), "application/json");
    /// ```
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Envelope | Self::Bare => "application/json",
            Self::NotJson => "text/plain; charset=utf-8",
        }
    }
}
