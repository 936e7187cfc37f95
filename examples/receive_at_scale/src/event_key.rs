//! Event keys, which identify duplicate events. The receiver chooses one, because deliveries have
//! no ID.

use std::collections::HashMap;
use std::str::FromStr;

use bytes::Bytes;
use serde_json::value::RawValue;
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
    /// this only for payloads that contain an ID or a time.
    Digest,
    /// A field of the payload, as a JSON pointer (RFC 6901) such as `/data/id`. The key is missing if
    /// the field is missing, empty, or neither a string nor a number. Numbers are compared as they are
    /// written, because two large IDs can be the same floating-point number.
    JsonField(String),
}

impl EventKey {
    pub(crate) fn of(&self, delivery: &Verified<Bytes>) -> Option<String> {
        let key = match self {
            Self::None => None,
            Self::Digest => Some(delivery.body_digest().to_string()),
            Self::JsonField(pointer) => {
                // Owned, since a body with a byte order mark cannot be borrowed.
                let payload: Box<RawValue> = delivery.json().ok()?;
                let field = json_field(&payload, pointer)?.get();
                match field.as_bytes() {
                    [b'"', ..] => serde_json::from_str(field).ok(),
                    [b'-' | b'0'..=b'9', ..] => Some(field.to_owned()),
                    _ => None,
                }
            }
        };
        key.filter(|key: &String| !key.is_empty())
    }
}

/// Returns the part of the JSON text at this pointer.
fn json_field<'p>(payload: &'p RawValue, pointer: &str) -> Option<&'p RawValue> {
    let mut tokens = pointer.split('/').skip(1);
    tokens.try_fold(payload, |value, token| {
        let name = token.replace("~1", "/").replace("~0", "~");
        match serde_json::from_str::<HashMap<String, &RawValue>>(value.get()) {
            Ok(mut object) => object.remove(&name),
            Err(_) => {
                let array: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
                array.get(name.parse::<usize>().ok()?).copied()
            }
        }
    })
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
            (r#"{"data":{"id":"\u00651"}}"#, Some("e1")),
            (r#"{"data":{"id":7}}"#, Some("7")),
            (
                r#"{"data":{"id":18446744073709551617}}"#,
                Some("18446744073709551617"),
            ),
            (
                r#"{"data":{"id":18446744073709551618}}"#,
                Some("18446744073709551618"),
            ),
            (r#"{"data":{"id":null}}"#, None),
            (r#"{"data":{"id":""}}"#, None),
            (r#"{"data":{"id":" "}}"#, Some(" ")),
            ("\u{feff}{\"data\":{\"id\":\"e1\"}}", Some("e1")),
            (r#"{"id":"e1"}"#, None),
            ("not JSON", None),
        ] {
            assert_eq!(key.of(&verified(body)).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn pointers_lead_through_objects_and_arrays() {
        let body = verified(r#"{ "a/b": [ {}, { "~c" : -1.50 } ], "d": [[ "x" ]] }"#);
        for (pointer, expected) in [
            ("/a~1b/1/~0c", Some("-1.50")),
            ("/d/0/0", Some("x")),
            ("/d/0", None),
            ("/d/1/0", None),
            ("/a/b", None),
        ] {
            let key: EventKey = pointer.parse().unwrap();
            assert_eq!(key.of(&body).as_deref(), expected, "{pointer}");
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
