//! Input as JSON: bodies for the control API, state files, fault rules and dialects; and the error for invalid
//! input.

use std::fmt::{self, Display};
use std::marker::PhantomData;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::files::without_mark;
use crate::redaction::redact_keys;

/// A result whose error is [`InvalidInput`], unless another type is named.
pub(crate) type Result<T, E = InvalidInput> = std::result::Result<T, E>;

/// An error for invalid input, such as a fault rule, an expectation or a script. The message states
/// what was found and what was expected.
///
/// ```
/// let error = mock_server::FaultRule::from_json(r#"{"fault": "empty"}"#).unwrap_err();
/// assert_eq!(error.code(), "bad_body");
/// assert!(error.to_string().starts_with("fault: unknown variant `empty`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidInput {
    code: &'static str,
    message: String,
}

impl InvalidInput {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }

    /// Adds the number of the invalid rule to the message; the first rule is 1.
    pub(crate) fn in_rule(self, number: usize) -> Self {
        Self::new(self.code, format!("rule {number}: {}", self.message))
    }

    /// Returns the error code that the control API also uses: `bad_body` for JSON with an unexpected
    /// structure, otherwise a code such as `invalid_fault`.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

/// The error code of invalid JSON.
pub(crate) const BAD_BODY: &str = "bad_body";

/// Parses a JSON object. An error contains the path of the invalid field.
pub(crate) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    object_in(value(text)?)
}

/// Deserializes an object from a JSON value.
pub(crate) fn object_in<T: DeserializeOwned>(value: Value) -> Result<T> {
    if !value.is_object() {
        return Err(unreadable("expected a JSON object"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let error = in_terms_of_json(&error.into_inner().to_string());
        // Below `keys`, the names are API keys.
        match path.split_once("keys.") {
            Some((before, _)) => unreadable(format!("{before}keys: {error}")),
            None if path == "." => unreadable(error),
            None => unreadable(format!("{path}: {error}")),
        }
    })
}

/// Names the types of JSON, and the range of an integer, instead of the types of Rust.
fn in_terms_of_json(message: &str) -> String {
    let range = |min, max: u64| format!("a whole number from {min} to {max}");
    let types = [
        ("u64", range(0, u64::MAX)),
        ("usize", range(0, usize::MAX as u64)),
        ("u32", range(0, u32::MAX.into())),
        ("u16", range(0, u16::MAX.into())),
        ("a nonzero u32", range(1, u32::MAX.into())),
        ("a map", "an object".to_owned()),
        ("a sequence", "an array".to_owned()),
    ];
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let found = match found {
        "invalid type: map" => "invalid type: object",
        "invalid type: sequence" => "invalid type: array",
        other => other,
    };
    let named = types.iter().find(|(name, _)| *name == expected);
    let expected = named.map_or(expected, |(_, json)| json);
    format!("{found}, expected {expected}")
}

/// Parses any JSON.
pub(crate) fn value(text: &[u8]) -> Result<Value> {
    let invalid = |reason: &dyn Display| unreadable(format!("not valid JSON: {reason}"));
    let text = without_mark(text).map_err(|reason| invalid(&reason))?;
    serde_json::from_slice(text).map_err(|error| invalid(&error))
}

/// Deserializes `null` as `Some(Value::Null)`, which serde would read as a missing field.
pub(crate) fn nullable<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Deserializes a struct only from an object; serde also accepts an array of its fields.
pub(crate) fn nested_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}

fn unreadable(message: impl Display) -> InvalidInput {
    InvalidInput::new(BAD_BODY, redact_keys(&message.to_string()))
}

/// Bytes that are a string in JSON if they are UTF-8, and otherwise `{"base64": "…"}`. Also for serde's `with`.
#[derive(Deserialize)]
pub(crate) struct BytesInJson(#[serde(with = "BytesInJson")] pub(crate) Vec<u8>);

impl BytesInJson {
    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], json: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => json.serialize_str(text),
            Err(_) => json!({"base64": STANDARD.encode(bytes)}).serialize(json),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Vec<u8>, D::Error> {
        json.deserialize_any(TextOrBase64)
    }
}

struct TextOrBase64;

impl<'de> Visitor<'de> for TextOrBase64 {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a string or {"base64": "…"}"#)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<u8>, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Encoded {
            base64: String,
        }

        let Encoded { base64 } = Encoded::deserialize(MapAccessDeserializer::new(map))?;
        STANDARD
            .decode(base64)
            .map_err(|_| A::Error::custom("not valid base64; expected padded base64 such as aGk="))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::World;
    use crate::faults::FaultRule;

    #[test]
    fn an_error_contains_the_path() {
        for (text, message) in [
            (
                "",
                "not valid JSON: EOF while parsing a value at line 1 column 0",
            ),
            ("[]", "expected a JSON object"),
            ("null", "expected a JSON object"),
            ("{}", "missing field `fault`"),
            (
                r#"{"fault": "empty_body", "time": 1}"#,
                "time: unknown field `time`, expected one of `match`, `skip`, `times`, `for_milliseconds`, `phase`, `fault`",
            ),
            (
                r#"{"fault": "empty_body", "match": [null, "/me"]}"#,
                "match: invalid type: array, expected an object",
            ),
            (
                r#"{"fault": "empty_body", "times": -1}"#,
                "times: invalid value: integer `-1`, expected a whole number from 0 to 18446744073709551615",
            ),
        ] {
            let error = object::<FaultRule>(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
    }

    #[test]
    fn an_error_contains_no_key() {
        let mut state = serde_json::to_value(World::new(7)).unwrap();
        state["keys"] = json!({"canary": {"handle": 7, "scopes": []}});
        let error = object_in::<World>(state).unwrap_err();
        assert_eq!(
            error.to_string(),
            "keys: invalid type: integer `7`, expected a string"
        );
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder(#[serde(with = "BytesInJson")] Vec<u8>);

    #[test]
    fn bytes_survive_serialization() {
        for (bytes, json) in [
            (&b""[..], r#""""#),
            ("é\n".as_bytes(), r#""é\n""#),
            (b"\xff\x00", r#"{"base64":"/wA="}"#),
        ] {
            let holder = Holder(bytes.to_vec());
            assert_eq!(serde_json::to_string(&holder).unwrap(), json);
            assert_eq!(serde_json::from_str::<Holder>(json).unwrap(), holder);
        }
    }
}
