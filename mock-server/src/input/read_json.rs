//! Parses JSON input: bodies for the control API, state files, fault rules and dialects.

use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::files::without_mark;
use crate::input::{InvalidInput, Result};
use crate::redaction::redact_keys;

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
        state["keys"] = serde_json::json!({"canary": {"handle": 7, "scopes": []}});
        let error = object_in::<World>(state).unwrap_err();
        assert_eq!(
            error.to_string(),
            "keys: invalid type: integer `7`, expected a string"
        );
    }
}
