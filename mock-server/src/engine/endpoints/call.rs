//! A call of an endpoint, and the JSON object in its body.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use url::form_urlencoded;

use crate::engine::dialect::UnknownFields;
use crate::engine::{Problem, Problems, Rejected, Request};

/// A request to an endpoint.
///
/// A handler first reads the whole request and collects its problems, even if the request was
/// already rejected. Then it calls [`caller`](Self::caller), which returns an error if the request
/// was rejected.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) request: &'a Request,
    /// The decoded path parameter; empty if the path has none.
    pub(crate) parameter: Cow<'a, str>,
    /// The key, if the world has it and its account.
    pub(crate) key: Option<&'a str>,
    pub(crate) problems: Problems,
}

impl<'a> Call<'a> {
    /// Returns the key of the caller, which has the scope of the endpoint.
    pub(super) fn caller(&mut self) -> Result<&'a str, Rejected> {
        self.problems.check()?;
        let missing = || self.problems.reject(Problem::KeyMissing);
        self.key.ok_or_else(missing)
    }

    /// Adds a problem if the request has a query parameter.
    pub(super) fn expect_no_parameters(&mut self) {
        let query = self.request.query.as_deref().unwrap_or_default();
        if let Some((name, _)) = form_urlencoded::parse(query.as_bytes()).next() {
            let name = name.into_owned();
            self.problems
                .tolerate(Problem::UnexpectedParameter { name });
        }
    }

    /// Returns the value of a required field, or rejects the request.
    pub(super) fn require(
        &mut self,
        field: &'static str,
        value: Option<String>,
    ) -> Result<String, Rejected> {
        let missing = || self.problems.reject(Problem::MissingField { field });
        value.ok_or_else(missing)
    }
}

/// The maximum size of a request body in bytes: 1 MiB.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// Reads the object in the body, calls `take` with each known field and its value, and collects
/// the problems.
pub(super) fn read_object(
    call: &mut Call<'_>,
    known: &'static [&'static str],
    unknown_fields: UnknownFields,
    mut take: impl FnMut(&'static str, String, &mut Problems),
) {
    let (body, problems) = (&call.request.body, &mut call.problems);
    let _ = problems.accept(call.request.check_content_type());
    if problems.accept(call.request.check_encoding()).is_err() {
        return;
    }
    // The size alone rejects a body that a transport discarded.
    if body.len() < call.request.body_length() {
        return;
    }
    let Ok(fields) = problems.accept(parse(body)) else {
        return;
    };
    if let Some(field) = first_repeated(&fields) {
        problems.reject(Problem::RepeatedField { field });
    }
    for (field, value) in fields {
        let Some(name) = known.iter().find(|name| **name == field) else {
            if unknown_fields == UnknownFields::Rejected {
                problems.reject(Problem::UnknownField { field, known });
            }
            continue;
        };
        if let Ok(text) = problems.accept(string(name, value)) {
            take(name, text, problems);
        }
    }
}

/// Returns all names and values of the object.
fn parse(body: &[u8]) -> Result<Vec<(String, Value)>, Problem> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let fields = json.deserialize_map(FieldsInOrder);
    let fields = fields.and_then(|fields| json.end().map(|()| fields));
    fields.map_err(|error| Problem::NotAJsonObject {
        reason: match body {
            [0xef, 0xbb, 0xbf, ..] | [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => {
                "it begins with a byte order mark; send UTF-8 without one".to_owned()
            }
            _ if error.is_data() => format!("found {}", first_type(body)),
            _ => error.to_string(),
        },
    })
}

/// Returns the value of a field. All fields of request bodies are strings.
fn string(field: &'static str, value: Value) -> Result<String, Problem> {
    let found = match value {
        Value::String(text) => return Ok(text),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Err(Problem::WrongType { field, found })
}

/// Returns the JSON type that the first byte indicates. The parser stops there, so the rest may be
/// invalid.
fn first_type(body: &[u8]) -> &'static str {
    match body.trim_ascii_start().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

fn first_repeated(fields: &[(String, Value)]) -> Option<String> {
    let mut names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    let pair = names.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(pair[0].clone())
}

/// Reads the fields of an object in their order. A map would silently drop duplicates.
struct FieldsInOrder;

impl<'de> Visitor<'de> for FieldsInOrder {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: impl Into<Vec<u8>>) -> Problem {
        let request = Request::new("PATCH", "/").header("Content-Type", "application/json");
        let mut call = Call {
            request: &request.body(body),
            parameter: "".into(),
            key: None,
            problems: Problems::default(),
        };
        let others = UnknownFields::Rejected;
        super::read_object(&mut call, &["bio"], others, |_, _, _| {});
        call.problems.decisive().unwrap().clone()
    }

    #[test]
    fn rejects_invalid_json_without_a_panic() {
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
            let rejection = read(body);
            assert!(
                matches!(rejection, Problem::NotAJsonObject { .. }),
                "{rejection}"
            );
        }
    }

    #[test]
    fn rejects_duplicate_fields_even_if_escaped_differently() {
        let rejection = read(r#"{"bio":"a","b\u0069o":"a"}"#);
        let field = "bio".to_owned();
        assert_eq!(rejection, Problem::RepeatedField { field });
    }
}
