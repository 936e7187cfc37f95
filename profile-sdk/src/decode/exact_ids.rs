//! Parses JSON without losing digits of identifiers.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Parses JSON like `serde_json`, but keeps numbers in fields named `id` as strings if they do not
/// fit into a 64-bit integer, because a floating-point number could be a different identifier.
pub(crate) fn parse(body: &[u8]) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = ExactIds.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

struct ExactIds;

impl<'de> DeserializeSeed<'de> for ExactIds {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ExactIds {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = match name.as_str() {
                "id" => id(members.next_value()?).map_err(Error::custom)?,
                _ => members.next_value_seed(ExactIds)?,
            };
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(ExactIds)? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_bool<E>(self, boolean: bool) -> Result<Value, E> {
        Ok(boolean.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

fn id(raw: &RawValue) -> serde_json::Result<Value> {
    match serde_json::from_str(raw.get())? {
        Value::Number(number) if number.is_f64() => Ok(raw.get().into()),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse;

    #[test]
    fn keeps_every_digit_of_ids() {
        for (text, value) in [
            ("18446744073709551615", json!(u64::MAX)),
            ("-3", json!(-3)),
            ("18446744073709551616", json!("18446744073709551616")),
            ("-98765432109876543210", json!("-98765432109876543210")),
            ("1e30", json!("1e30")),
            ("1.50", json!("1.50")),
            (r#""7""#, json!("7")),
            ("null", json!(null)),
            (r#"{"id":1.5}"#, json!({"id": 1.5})),
        ] {
            let body = format!(r#"[{{"id": {text} , "n": 1.5}}]"#);
            let expected = json!([{"id": value, "n": 1.5}]);
            assert_eq!(parse(body.as_bytes()).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn parses_everything_else_like_serde_json() {
        for text in [
            r#" {"a":[true,null,"é\n",-1,2.5,1e300,{}],"a":2,"id":"x"} "#,
            "18446744073709551616",
            "",
            "[1,",
            "[1] 2",
            "{\"id\"",
            "[1e999]",
            "{\"id\":1e999}",
            "\"\\ud800\"",
        ] {
            let (read, expected) = (parse(text.as_bytes()), serde_json::from_str::<Value>(text));
            assert_eq!(read.ok(), expected.ok(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(deep.as_bytes()).is_err());
    }
}
