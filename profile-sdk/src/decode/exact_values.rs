//! Parses JSON without losing digits of identifiers or values that `serde_json` cannot represent.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum depth of the arrays and objects that are parsed. Each level scans its text again.
const MAX_DEPTH: u32 = 16;

/// Parses JSON like `serde_json`, but keeps some values as strings that contain their JSON text:
/// numbers beyond the range of a floating-point number, arrays and objects that are nested too
/// deeply, and integers beyond 64 bits in fields named `id`, because a floating-point number could
/// be a different identifier.
pub(crate) fn parse(body: &[u8]) -> serde_json::Result<Value> {
    let raw: &RawValue = serde_json::from_slice(body)?;
    Ok(parse_value(raw.get(), MAX_DEPTH))
}

fn parse_value(text: &str, depth: u32) -> Value {
    let parsed = match text.as_bytes().first() {
        Some(b'{') if depth > 0 => parse_object(text, depth - 1),
        Some(b'[') if depth > 0 => parse_array(text, depth - 1),
        Some(b'{' | b'[') => None,
        _ => serde_json::from_str(text).ok(),
    };
    parsed.unwrap_or_else(|| text.into())
}

fn parse_object(text: &str, depth: u32) -> Option<Value> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let fields = fields.into_iter().map(|(name, value)| {
        let value = value.get();
        let parsed = match parse_value(value, depth) {
            Value::Number(number) if name == "id" && number.is_f64() && is_integer(value) => {
                value.into()
            }
            parsed => parsed,
        };
        (name, parsed)
    });
    Some(Value::Object(fields.collect()))
}

fn is_integer(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

fn parse_array(text: &str, depth: u32) -> Option<Value> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let elements = elements.into_iter();
    Some(elements.map(|raw| parse_value(raw.get(), depth)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_DEPTH, parse};

    #[test]
    fn keeps_every_digit_of_ids() {
        for (text, value) in [
            ("18446744073709551615", json!(u64::MAX)),
            ("-3", json!(-3)),
            ("18446744073709551616", json!("18446744073709551616")),
            ("-98765432109876543210", json!("-98765432109876543210")),
            ("1e30", json!(1e30)),
            ("1.50", json!(1.5)),
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
    fn keeps_values_that_serde_json_rejects() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in ["1e999", "-1e400", r#""\ud800""#, &deep] {
            let body = format!(r#"{{"a":{text},"b":[1,{{"c":2}}]}}"#);
            let read = parse(body.as_bytes()).unwrap();
            assert_eq!(read["b"], json!([1, {"c": 2}]));
            let mut kept = &read["a"];
            while let Some(elements) = kept.as_array() {
                kept = &elements[0];
            }
            assert!(text.contains(kept.as_str().unwrap()));
        }
        let nested = "[".repeat(MAX_DEPTH as usize) + &"]".repeat(MAX_DEPTH as usize);
        let expected: Value = serde_json::from_str(&nested).unwrap();
        assert_eq!(parse(nested.as_bytes()).unwrap(), expected);
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
            "{\"a\" 1}",
        ] {
            let (read, expected) = (parse(text.as_bytes()), serde_json::from_str::<Value>(text));
            assert_eq!(read.ok(), expected.ok(), "{text}");
        }
    }
}
