//! Reads the body of a write: one JSON object, whose fields each resource then takes out by name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::refusal::Refusal;
use super::request::Request;

/// The largest body of a request, in bytes: 1 MiB.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// Refuses a body that is larger than any request may be, whatever the endpoint.
pub(super) fn check_size(request: &Request) -> Result<(), Refusal> {
    let length = request.body_length();
    if length > BODY_LIMIT {
        let limit = BODY_LIMIT;
        return Err(Refusal::BodyTooLarge { length, limit });
    }
    Ok(())
}

/// How a resource judges one field of its body: everything that is wrong with it, the first of
/// which the caller is told.
pub(super) type Judge = fn(&str, &Value) -> Vec<Refusal>;

/// The names and values of the object in the body, in their order; no name comes twice.
pub(super) fn fields(request: &Request) -> Result<Vec<(String, Value)>, Refusal> {
    check_content_type(request)?;
    let fields = parse(&request.body)?;
    match first_repeated(&fields) {
        Some(field) => Err(Refusal::RepeatedField { field }),
        None => Ok(fields),
    }
}

/// The names and values of an object, whatever they are.
pub(super) fn parse(body: &[u8]) -> Result<Vec<(String, Value)>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Fields(fields)) => Ok(fields),
        Err(error) => {
            let reason = match error.is_data() {
                true => format!("it is {}", kind_at_beginning(body)),
                false => error.to_string(),
            };
            Err(Refusal::NotJsonObject { reason })
        }
    }
}

/// The text of a field; every field of the specification's bodies is a string.
pub(super) fn text<'a>(field: &str, value: &'a Value) -> Result<&'a str, Refusal> {
    let found = match value {
        Value::String(text) => return Ok(text),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    let field = field.to_owned();
    Err(Refusal::WrongType { field, found })
}

/// What JSON that is no object begins as; how it goes on nobody has read.
fn kind_at_beginning(body: &[u8]) -> &'static str {
    match body.trim_ascii_start().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

pub(super) fn check_content_type(request: &Request) -> Result<(), Refusal> {
    let mut given = request.header_values("content-type");
    if let (Some(content_type), None) = (given.next(), given.next()) {
        let essence = content_type.split(';').next().unwrap_or_default();
        if essence.trim().eq_ignore_ascii_case("application/json") {
            return Ok(());
        }
    }
    let given: Vec<_> = request.header_values("content-type").collect();
    let found = match given[..] {
        [] => "missing".to_owned(),
        _ => given.join(" and "),
    };
    Err(Refusal::WrongContentType { found })
}

fn first_repeated(fields: &[(String, Value)]) -> Option<String> {
    let mut names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    let pair = names.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(pair[0].clone())
}

/// An object with its fields as they came. A map would silently keep the last of two namesakes.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: impl Into<Vec<u8>>) -> Result<Vec<(String, Value)>, Refusal> {
        let request = Request::new("PATCH", "/").header("Content-Type", "application/json");
        fields(&request.body(body))
    }

    #[test]
    fn no_body_makes_the_reader_panic() {
        let deep = format!("{{\"bio\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for body in [
            &b""[..],
            b"{",
            b"[]",
            b"null",
            b"\"bio\"",
            b"{} {}",
            b"{\"bio\":\"\xff\"}",
            b"{\"bio\":\"\\ud800\"}",
            b"{\"bio\":1e999}",
            b"\xef\xbb\xbf{}",
            deep.as_bytes(),
        ] {
            let refusal = read(body).unwrap_err();
            assert!(
                matches!(refusal, Refusal::NotJsonObject { .. }),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_name_that_comes_twice_is_refused_even_when_written_differently() {
        let refusal = read(r#"{"bio":"a","b\u0069o":"a"}"#).unwrap_err();
        let field = "bio".to_owned();
        assert_eq!(refusal, Refusal::RepeatedField { field });
    }
}
