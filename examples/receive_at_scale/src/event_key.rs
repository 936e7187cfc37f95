//! Event keys, which identify duplicate events. The receiver chooses one, because deliveries have
//! no id.

use std::str::FromStr;

use bytes::Bytes;
use serde_json::Value;
use webhook_verify::Verified;

/// The part of a delivery that identifies its event.
///
/// Deliveries with the same key within [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW) are the same
/// event. A delivery without a key is always a new event. Keys are in the body: the header with the
/// event kind is not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKey {
    /// No key: every delivery is a new event, even if it is sent twice.
    None,
    /// The SHA-256 digest of the body. Different events with equal bodies count as one event, so use
    /// this only for payloads that contain an id or a time.
    Digest,
    /// A field of the payload, as a JSON pointer (RFC 6901) such as `/data/id`. The key is missing if
    /// the field is missing or is neither a string nor a number.
    JsonField(String),
}

impl EventKey {
    pub(crate) fn of(&self, delivery: &Verified<Bytes>) -> Option<String> {
        match self {
            Self::None => None,
            Self::Digest => Some(delivery.body_digest().to_string()),
            Self::JsonField(pointer) => {
                let payload: Value = delivery.json().ok()?;
                match payload.pointer(pointer)? {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                }
            }
        }
    }
}

impl FromStr for EventKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "digest" => Ok(Self::Digest),
            pointer if pointer.starts_with('/') => Ok(Self::JsonField(pointer.to_owned())),
            _ => Err("expected `none`, `digest` or a JSON pointer such as `/data/id`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use webhook_verify::{Headers, Secret, Verifier, sign};

    use super::*;

    #[track_caller]
    fn verified(body: &'static str) -> Verified<Bytes> {
        let secret = || Secret::new("a secret").unwrap();
        let signature = sign(&secret(), body);
        let headers = Headers::new([("X-Service-Signature", &signature)]);
        let body = Bytes::from_static(body.as_bytes());
        Verifier::new(secret()).verify(headers, body).unwrap()
    }

    #[test]
    fn uses_strings_and_numbers_as_keys() {
        let key: EventKey = "/data/id".parse().unwrap();
        for (body, expected) in [
            (r#"{"data":{"id":"e1"}}"#, Some("e1")),
            (r#"{"data":{"id":7}}"#, Some("7")),
            (r#"{"data":{"id":null}}"#, None),
            (r#"{"id":"e1"}"#, None),
            ("not JSON", None),
        ] {
            assert_eq!(key.of(&verified(body)).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn digests_depend_on_the_body() {
        let key: EventKey = "digest".parse().unwrap();
        assert_eq!(key.of(&verified("a")), key.of(&verified("a")));
        assert_ne!(key.of(&verified("a")), key.of(&verified("b")));
        assert_eq!(EventKey::None.of(&verified("a")), None);
        assert!("data.id".parse::<EventKey>().is_err());
    }
}
