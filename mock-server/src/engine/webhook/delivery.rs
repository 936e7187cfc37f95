//! Events, and their signed deliveries and outcomes.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;

use crate::engine::{SignatureEncoding, WebhookPayload, to_json};
use crate::input::{BytesInJson, InvalidInput, Result};

/// The kind of an event: one of the kinds of the specification, or any other name that is
/// valid in a header.
///
/// ```
/// use mock_server::webhook::EventKind;
///
/// assert_eq!(EventKind::FOLLOW_CREATED.as_str(), "follow.created");
/// assert_eq!(EventKind::new("badge.awarded")?.to_string(), "badge.awarded");
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct EventKind(Cow<'static, str>);

impl EventKind {
    /// `follow.created`
    pub const FOLLOW_CREATED: Self = Self(Cow::Borrowed("follow.created"));
    /// `comment.created`
    pub const COMMENT_CREATED: Self = Self(Cow::Borrowed("comment.created"));
    /// `profile.liked`
    pub const PROFILE_LIKED: Self = Self(Cow::Borrowed("profile.liked"));
    /// `post.liked`
    pub const POST_LIKED: Self = Self(Cow::Borrowed("post.liked"));
    /// `post.replied`
    pub const POST_REPLIED: Self = Self(Cow::Borrowed("post.replied"));
    /// `post.mentioned`
    pub const POST_MENTIONED: Self = Self(Cow::Borrowed("post.mentioned"));
    /// `message.received`
    pub const MESSAGE_RECEIVED: Self = Self(Cow::Borrowed("message.received"));

    /// The kinds of the specification, in its order.
    pub const ALL: &'static [Self] = &[
        Self::FOLLOW_CREATED,
        Self::COMMENT_CREATED,
        Self::PROFILE_LIKED,
        Self::POST_LIKED,
        Self::POST_REPLIED,
        Self::POST_MENTIONED,
        Self::MESSAGE_RECEIVED,
    ];

    /// Creates a kind with any name.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the name is not valid in a header: it is empty, starts or ends
    /// with whitespace, or contains a control character.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let fits = !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
        if fits {
            Ok(Self(Cow::Owned(name)))
        } else {
            let message = format!(
                "the event kind {name:?} cannot be sent in a header; expected a name such as \
                 `follow.created`, without control characters or surrounding spaces"
            );
            Err(InvalidInput::new("invalid_kind", message))
        }
    }

    /// Returns the name, such as `post.liked`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for EventKind {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for EventKind {
    type Error = InvalidInput;

    fn try_from(name: String) -> Result<Self> {
        Self::new(name)
    }
}

/// The data of an event.
///
/// ```
/// use mock_server::webhook::EventData;
/// use serde_json::json;
///
/// assert_eq!(EventData::from(json!({"from": "grace"})), EventData::Json(json!({"from": "grace"})));
/// assert_eq!(EventData::from(vec![0xff]), EventData::Bytes(vec![0xff]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventData {
    /// JSON from which the body is built, as set by [`WebhookPayload`].
    Json(Value),
    /// The exact body, regardless of [`WebhookPayload`].
    Bytes(Vec<u8>),
}

impl From<Value> for EventData {
    fn from(data: Value) -> Self {
        Self::Json(data)
    }
}

impl From<Vec<u8>> for EventData {
    fn from(body: Vec<u8>) -> Self {
        Self::Bytes(body)
    }
}

/// Returns the content type and the body of a delivery.
pub(super) fn payload(
    kind: &EventKind,
    now: &str,
    data: EventData,
    shape: WebhookPayload,
) -> (&'static str, Vec<u8>) {
    const JSON: &str = "application/json";
    const TEXT: &str = "text/plain; charset=utf-8";
    match (data, shape) {
        (EventData::Bytes(body), _) => ("application/octet-stream", body),
        (EventData::Json(data), WebhookPayload::Envelope) => {
            let envelope = to_json(|object| {
                object.string("type", kind.as_str());
                object.string("created_at", now);
                object.value("data", &data);
            });
            (JSON, envelope)
        }
        (EventData::Json(data), WebhookPayload::Bare) => (JSON, data.to_string().into()),
        (EventData::Json(Value::String(text)), WebhookPayload::NotJson) => (TEXT, text.into()),
        (EventData::Json(data), WebhookPayload::NotJson) => {
            (TEXT, format!("{kind} at {now}: {data}").into())
        }
    }
}

/// A signed delivery, with the exact body and headers to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignedDelivery {
    /// The ID of the delivery in the mock, such as `delivery_7`; it is not sent.
    pub id: String,
    /// The creation time by the world's clock: RFC 3339 in UTC, in whole seconds.
    pub created_at: String,
    /// The receiver's URL, or `built_in`.
    pub receiver: String,
    /// The ID of the delivery that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redelivery_of: Option<String>,
    /// The header `X-Service-Event`.
    pub kind: EventKind,
    /// The header `X-Service-Signature`.
    pub signature: String,
    /// The header `Content-Type`.
    pub content_type: String,
    /// The exact body. In JSON, a string, or `{"base64": "…"}` if it is not UTF-8.
    #[serde(with = "BytesInJson")]
    pub body: Vec<u8>,
}

/// A delivery that was attempted, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delivery {
    /// The delivery. In JSON, its fields are on the same level as `outcome`.
    #[serde(flatten)]
    pub sent: SignedDelivery,
    /// The outcome.
    pub outcome: DeliveryOutcome,
}

impl Delivery {
    /// Returns `true` if the delivery succeeded; see [`DeliveryOutcome::is_success`].
    pub fn is_success(&self) -> bool {
        self.outcome.is_success()
    }
}

/// The outcome of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeliveryOutcome {
    /// The receiver responded in time.
    Responded {
        /// The status code.
        status: u16,
    },
    /// The response was not complete in time.
    TimedOut {
        /// The timeout in milliseconds.
        milliseconds: u64,
    },
    /// The connection could not be established, or it failed before the response was complete.
    ConnectionFailed {
        /// The error message of the system or the HTTP library.
        reason: String,
    },
}

impl DeliveryOutcome {
    /// Returns `true` if the receiver responded with 2xx in time. Every other outcome is a failure.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Responded { status: 200..=299 })
    }

    pub(crate) fn timed_out(limit: Duration) -> Self {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Self::TimedOut { milliseconds }
    }
}

impl fmt::Display for DeliveryOutcome {
    /// Writes, for example, `responded with 500`, `no response within 10000 ms`, `connection failed:
    /// connection refused`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Responded { status } => write!(f, "responded with {status}"),
            Self::TimedOut { milliseconds } => {
                write!(f, "no response within {milliseconds} ms")
            }
            Self::ConnectionFailed { reason } => write!(f, "connection failed: {reason}"),
        }
    }
}

/// The secret that deliveries are signed with; never empty. `Debug` hides it.
///
/// It is written only to state files.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BytesInJson")]
pub(crate) struct WebhookSecret(#[serde(serialize_with = "BytesInJson::serialize")] Vec<u8>);

impl WebhookSecret {
    /// Takes the bytes as they are, without trimming.
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            let message = "the webhook secret is empty; expected at least 1 byte";
            return Err(InvalidInput::new("empty_secret", message));
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(hidden)")
    }
}

impl TryFrom<BytesInJson> for WebhookSecret {
    type Error = InvalidInput;

    fn try_from(BytesInJson(bytes): BytesInJson) -> Result<Self> {
        Self::new(bytes)
    }
}

/// Returns the value of the header for this exact body.
pub(super) fn sign(secret: &WebhookSecret, body: &[u8], encoding: SignatureEncoding) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&secret.0).expect("HMAC takes a key of any length");
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    format!("sha256={}", encoding.encode(&digest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rejects_a_name_that_is_invalid_in_a_header() {
        for name in ["", " ", "a ", "\ta", "a\r\nX-Evil: 1", "a\0b"] {
            assert!(EventKind::new(name).is_err(), "{name:?}");
        }
        assert_eq!(
            EventKind::new("a\n").unwrap_err().to_string(),
            "the event kind \"a\\n\" cannot be sent in a header; expected a name such as \
             `follow.created`, without control characters or surrounding spaces"
        );
    }

    #[test]
    fn serializes_each_payload_shape() {
        use WebhookPayload::{Bare, Envelope, NotJson};
        let (now, kind) = ("2026-03-01T12:00:00Z", EventKind::FOLLOW_CREATED);
        let data = || EventData::Json(json!({"from": "grace"}));
        let text = json!("<event/>").into();
        let bytes = b"exact".to_vec().into();
        let envelope = r#"{"type":"follow.created","created_at":"2026-03-01T12:00:00Z","data":{"from":"grace"}}"#;
        let line = r#"follow.created at 2026-03-01T12:00:00Z: {"from":"grace"}"#;
        for (data, shape, body, content_type) in [
            (data(), Envelope, envelope, "application/json"),
            (data(), Bare, r#"{"from":"grace"}"#, "application/json"),
            (data(), NotJson, line, "text/plain; charset=utf-8"),
            (text, NotJson, "<event/>", "text/plain; charset=utf-8"),
            (bytes, Envelope, "exact", "application/octet-stream"),
        ] {
            let found = payload(&kind, now, data, shape);
            assert_eq!(found, (content_type, body.into()));
        }
    }
}
