//! What makes two deliveries one event: the receiver's choice, since the service gives them no id.

use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};
use webhook_verify::Verified;

/// Draws a key from a verified delivery. Two deliveries with one key are one event within
/// [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW); one without a key is an event of its own.
///
/// Keys are drawn from the body alone: the header with the event kind is not signed.
///
/// ```
/// use receive_at_scale::EventKey;
///
/// let by_first_line: EventKey = Box::new(|delivery| {
///     let text = std::str::from_utf8(delivery.body()).ok()?;
///     text.lines().next().map(str::to_owned)
/// });
/// ```
pub type EventKey = Box<dyn Fn(&Verified<Bytes>) -> Option<String> + Send + Sync>;

/// By a field of the payload, named by a JSON pointer (RFC 6901) such as `/data/id`. A payload
/// without it, or in which it is no string and no number, has no key.
///
/// ```
/// let key = receive_at_scale::by_json_field("/data/id");
/// ```
pub fn by_json_field(pointer: impl Into<String>) -> EventKey {
    let pointer = pointer.into();
    Box::new(move |delivery| {
        let payload: Value = delivery.json().ok()?;
        match payload.pointer(&pointer)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    })
}

/// By the SHA-256 of the whole body. Genuine events with equal bodies become one, so it suits
/// payloads that hold the time or an id.
///
/// ```
/// let key = receive_at_scale::by_digest();
/// ```
pub fn by_digest() -> EventKey {
    Box::new(|delivery| Some(hex::encode(Sha256::digest(delivery.body()))))
}

/// Every delivery is an event of its own, also one that is sent again.
///
/// ```
/// let key = receive_at_scale::none();
/// ```
pub fn none() -> EventKey {
    Box::new(|_| None)
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
    fn a_field_is_a_key_when_it_is_a_string_or_a_number() {
        let key = by_json_field("/data/id");
        for (body, expected) in [
            (r#"{"data":{"id":"e1"}}"#, Some("e1")),
            (r#"{"data":{"id":7}}"#, Some("7")),
            (r#"{"data":{"id":null}}"#, None),
            (r#"{"id":"e1"}"#, None),
            ("no JSON", None),
        ] {
            assert_eq!(key(&verified(body)).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn digests_differ_where_bodies_do() {
        let key = by_digest();
        assert_eq!(key(&verified("a")), key(&verified("a")));
        assert_ne!(key(&verified("a")), key(&verified("b")));
        assert_eq!(none()(&verified("a")), None);
    }
}
