//! Events and their payloads.

use serde::Serialize;
use serde_json::Value;

use crate::engine::EventKind;
use crate::engine::WebhookPayload;

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

/// The body of a delivery and its content type.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Payload {
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
}

impl Payload {
    pub(super) fn new(kind: &EventKind, now: &str, data: EventData, shape: WebhookPayload) -> Self {
        match (data, shape) {
            (EventData::Bytes(body), _) => Self {
                content_type: "application/octet-stream",
                body,
            },
            (EventData::Json(data), WebhookPayload::Envelope) => Self::json(&Envelope {
                kind,
                created_at: now,
                data: &data,
            }),
            (EventData::Json(data), WebhookPayload::Bare) => Self::json(&data),
            (EventData::Json(Value::String(text)), WebhookPayload::NotJson) => Self::text(text),
            (EventData::Json(data), WebhookPayload::NotJson) => {
                Self::text(format!("{kind} at {now}: {data}"))
            }
        }
    }

    fn json(body: &impl Serialize) -> Self {
        Self {
            content_type: "application/json",
            body: serde_json::to_vec(body).expect("texts and JSON become JSON"),
        }
    }

    fn text(body: String) -> Self {
        Self {
            content_type: "text/plain; charset=utf-8",
            body: body.into_bytes(),
        }
    }
}

#[derive(Serialize)]
struct Envelope<'a> {
    #[serde(rename = "type")]
    kind: &'a EventKind,
    created_at: &'a str,
    data: &'a Value,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn payload(data: impl Into<EventData>, shape: WebhookPayload) -> (String, &'static str) {
        let now = "2026-03-01T12:00:00Z";
        let payload = Payload::new(&EventKind::FOLLOW_CREATED, now, data.into(), shape);
        let body = String::from_utf8(payload.body).unwrap();
        (body, payload.content_type)
    }

    #[test]
    fn serializes_each_payload_shape() {
        let data = || json!({"from": "grace"});
        for (found, body, content_type) in [
            (
                payload(data(), WebhookPayload::Envelope),
                r#"{"type":"follow.created","created_at":"2026-03-01T12:00:00Z","data":{"from":"grace"}}"#,
                "application/json",
            ),
            (
                payload(data(), WebhookPayload::Bare),
                r#"{"from":"grace"}"#,
                "application/json",
            ),
            (
                payload(data(), WebhookPayload::NotJson),
                r#"follow.created at 2026-03-01T12:00:00Z: {"from":"grace"}"#,
                "text/plain; charset=utf-8",
            ),
            (
                payload(json!("<event/>"), WebhookPayload::NotJson),
                "<event/>",
                "text/plain; charset=utf-8",
            ),
            (
                payload(b"exact".to_vec(), WebhookPayload::Envelope),
                "exact",
                "application/octet-stream",
            ),
        ] {
            assert_eq!(found, (body.to_owned(), content_type));
        }
    }
}
