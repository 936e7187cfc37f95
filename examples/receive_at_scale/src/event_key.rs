//! Event keys, which identify duplicate events. The receiver chooses one, because deliveries have
//! no id.

use bytes::Bytes;
use serde_json::Value;
use webhook_verify::Verified;

/// A function that computes the key of a verified delivery.
///
/// Deliveries with the same key within [`DUPLICATE_WINDOW`](crate::DUPLICATE_WINDOW) are the same
/// event. A delivery without a key is always a new event. Compute keys from the body only: the
/// header with the event kind is not signed.
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

/// Uses a field of the payload as the key, given as a JSON pointer (RFC 6901) such as `/data/id`.
/// The key is missing if the field is missing or is neither a string nor a number.
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

/// Uses the SHA-256 digest of the body as the key.
///
/// Different events with equal bodies count as one event, so use this only for payloads that
/// contain an id or a time.
///
/// ```
/// let key = receive_at_scale::by_digest();
/// ```
pub fn by_digest() -> EventKey {
    Box::new(|delivery| Some(delivery.body_digest().to_string()))
}

/// Uses no key: every delivery is a new event, even if it is sent twice.
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
    fn uses_strings_and_numbers_as_keys() {
        let key = by_json_field("/data/id");
        for (body, expected) in [
            (r#"{"data":{"id":"e1"}}"#, Some("e1")),
            (r#"{"data":{"id":7}}"#, Some("7")),
            (r#"{"data":{"id":null}}"#, None),
            (r#"{"id":"e1"}"#, None),
            ("not JSON", None),
        ] {
            assert_eq!(key(&verified(body)).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn digests_depend_on_the_body() {
        let key = by_digest();
        assert_eq!(key(&verified("a")), key(&verified("a")));
        assert_ne!(key(&verified("a")), key(&verified("b")));
        assert_eq!(none()(&verified("a")), None);
    }
}
