//! Decodes response bodies.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::json::Body;
use crate::text::{one_line, quoted};

/// Decodes the field `data` of a body.
///
/// The error contains the JSON path, the reason and the start of the body.
pub(crate) fn read_data<T: ResponseData>(body: &Body) -> Result<T, String> {
    // Checking UTF-8 once for the whole body is faster than for each string in it. A list could be
    // decoded as an envelope, too.
    if let Ok(text) = std::str::from_utf8(&body.bytes)
        && text.trim_start().starts_with('{')
        && let Ok(envelope) = serde_json::from_str::<Envelope<T>>(text)
    {
        // Nothing was replaced, so no other reader has to look for it.
        let _ = body.json.set(None);
        return Ok(envelope.data);
    }
    let data = body.data().and_then(read_value);
    data.map_err(|reason| unreadable(&reason, &body.bytes))
}

/// Decodes the resource in the response to a write, or returns `None` if there is no recognizable
/// resource. The specification does not define this response, so this is not an error.
pub(crate) fn read_written<T: Resource>(body: &Body) -> Option<T> {
    read_data(body).ok().filter(T::is_recognized)
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

/// Decodes readable data, without its envelope.
pub(crate) fn read_value<T: ResponseData>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).or_else(|_| {
        let data = serde_json::from_str(json);
        decode(data.map_err(|error| format!("data is not valid JSON ({error})"))?)
    })
}

/// Decodes any value of a raw call: the body, or its field `data`.
pub(crate) fn read_any<T: DeserializeOwned>(body: &Body, is_enveloped: bool) -> Result<T, String> {
    if body.json().trim_ascii().is_empty() {
        return serde_json::from_str("null").map_err(|_| {
            "the response has no body; read it with `read_bytes`, or as an `Option`".to_owned()
        });
    }
    let (json, root) = match is_enveloped {
        true => (body.data(), "data"),
        false => (Ok(body.json()), ""),
    };
    let decoded = json.and_then(|json| {
        serde_json::from_str(json).or_else(|_| {
            let value: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
            let decoded = serde_path_to_error::deserialize(value);
            decoded.map_err(|error| error_at(root, &error))
        })
    });
    decoded.map_err(|reason| unreadable(&reason, &body.bytes))
}

/// Decodes a value. Fields that cannot be decoded are moved to `extra` if the specification does not
/// define their shape; others are an error with the path of the field.
fn decode<T: ResponseData>(mut data: Value) -> Result<T, String> {
    let mut in_elements = Vec::new();
    for list in T::LISTS {
        let elements = data.get_mut(list.name).and_then(Value::as_array_mut);
        for (index, element) in elements.into_iter().flatten().enumerate() {
            let fields = (list.take_unexpected)(element);
            if !fields.is_empty() {
                in_elements.push((list, index, fields));
            }
        }
    }
    let (decoded, mut unexpected) = take_unexpected::<T>(&mut data);
    let mut value = match decoded {
        Ok(value) => value,
        Err(error) => {
            return T::from_unexpected(data).ok_or_else(|| error_at("data", &error));
        }
    };
    for (list, index, fields) in in_elements {
        let kept = match unexpected.get_mut(list.name) {
            Some(list) => list.get_mut(index).and_then(Value::as_object_mut),
            None => (list.extra)(&mut value, index),
        };
        if let Some(kept) = kept {
            kept.extend(fields);
        }
    }
    value.add_extra(unexpected);
    Ok(value)
}

/// Decodes a value without the fields that have an unexpected shape, which are removed from it.
fn take_unexpected<T: ResponseData>(
    data: &mut Value,
) -> (Result<T, PathError>, Map<String, Value>) {
    let mut unexpected = Map::new();
    loop {
        let error = match serde_path_to_error::deserialize::<_, T>(&*data) {
            Ok(value) => return (Ok(value), unexpected),
            Err(error) => error,
        };
        // The path leads through a field of the data.
        let field = match error.path().iter().next() {
            Some(Segment::Map { key }) if T::LENIENT_FIELDS.contains(&key.as_str()) => data
                .as_object_mut()
                .and_then(|fields| fields.remove_entry(key)),
            _ => None,
        };
        match field {
            Some((name, value)) => unexpected.insert(name, value),
            None => return (Err(error), unexpected),
        };
    }
}

type PathError = serde_path_to_error::Error<serde_json::Error>;

fn error_at(root: &str, error: &PathError) -> String {
    let path = match error.path().to_string() {
        path if path == "." => root.to_owned(),
        path if path.starts_with('[') || root.is_empty() => format!("{root}{path}"),
        path => format!("{root}.{path}"),
    };
    let colon = if path.is_empty() { "" } else { ": " };
    format!("{path}{colon}{}", error.inner())
}

/// Returns the message for a body that cannot be decoded. The reason may quote the body.
pub(crate) fn unreadable(reason: &str, body: &[u8]) -> String {
    let (reason, start) = (one_line(reason), start_of(body));
    format!("{reason}; the body starts with {start}")
}

/// Returns the start of a body, escaped on one line.
pub(crate) fn start_of(body: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * SHOWN)]);
    let start: String = text.chars().take(SHOWN).collect();
    quoted(&start)
}

/// A type that is decoded from the field `data` of a response.
pub(crate) trait ResponseData: DeserializeOwned + 'static {
    /// The fields whose shape the specification does not define. A field that cannot be decoded is
    /// moved to `extra`.
    const LENIENT_FIELDS: &'static [&'static str] = &[];

    /// The lists of resources. A field of an element that cannot be decoded is moved to the `extra`
    /// of the element.
    const LISTS: &'static [List<Self>] = &[];

    /// Adds fields that could not be decoded to `extra`.
    fn add_extra(&mut self, _fields: Map<String, Value>) {}

    /// Creates a value from data that cannot be decoded, if the specification does not define the
    /// shape of the data.
    fn from_unexpected(_data: Value) -> Option<Self> {
        None
    }
}

/// A list of resources in data of the type `T`.
pub(crate) struct List<T> {
    pub(crate) name: &'static str,
    /// Removes the fields of an element that cannot be decoded, and whose shape the specification does
    /// not define.
    take_unexpected: fn(&mut Value) -> Map<String, Value>,
    /// Returns the `extra` of the element with this index.
    extra: fn(&mut T, usize) -> Option<&mut Map<String, Value>>,
}

impl<T> List<T> {
    /// Returns a list of elements of the type `E`.
    pub(crate) const fn of<E: ResponseData>(
        name: &'static str,
        extra: fn(&mut T, usize) -> Option<&mut Map<String, Value>>,
    ) -> Self {
        Self {
            name,
            take_unexpected: |element| take_unexpected::<E>(element).1,
            extra,
        }
    }
}

/// A resource in the response to a write.
pub(crate) trait Resource: ResponseData {
    /// Returns `true` if the value has at least one field of the resource.
    fn is_recognized(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Resource, ResponseData, read_data, read_written};
    use crate::json::Body;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Sample {
        count: u64,
        #[serde(default)]
        list: Option<Vec<u64>>,
        #[serde(flatten)]
        extra: Map<String, Value>,
    }

    impl ResponseData for Sample {
        const LENIENT_FIELDS: &'static [&'static str] = &["list"];

        fn add_extra(&mut self, fields: Map<String, Value>) {
            self.extra.extend(fields);
        }
    }

    impl Resource for Sample {
        fn is_recognized(&self) -> bool {
            self.count > 0
        }
    }

    #[test]
    fn keeps_unexpected_fields_in_extra() {
        let body = r#"{"data":{"count":1,"list":[1,"two"],"more":true}}"#;
        let sample: Sample = read_data(&Body::new(body)).unwrap();
        assert_eq!(sample.list, None);
        assert_eq!(
            Value::from(sample.extra),
            json!({"list": [1, "two"], "more": true})
        );
    }

    #[test]
    fn errors_contain_the_path() {
        for (body, message) in [
            (
                r#"{"data":{"count":"one"}}"#,
                r#"data.count: invalid type: string "one", expected u64; the body starts with "{\"data\":{\"count\":\"one\"}}""#,
            ),
            (
                "<html>",
                r#"the response is not valid JSON (expected value at line 1 column 1); the body starts with "<html>""#,
            ),
            (
                "[]",
                r#"the response is not a JSON object with the field `data`; the body starts with "[]""#,
            ),
            (
                "{}",
                r#"the response has no field `data`; the body starts with "{}""#,
            ),
            (
                r#"{"data":null}"#,
                r#"data: invalid type: null, expected struct Sample; the body starts with "{\"data\":null}""#,
            ),
        ] {
            assert_eq!(read_data::<Sample>(&Body::new(body)).unwrap_err(), message);
        }
    }

    #[test]
    fn accepts_any_response_to_a_write() {
        for body in [
            "",
            "OK",
            "{}",
            r#"{"data":null}"#,
            r#"{"data":{}}"#,
            r#"{"data":[1]}"#,
            "\u{0}",
        ] {
            assert_eq!(read_written::<Sample>(&Body::new(body)), None, "{body:?}");
        }
        let written = read_written::<Sample>(&Body::new(r#"{"data":{"count":2}}"#));
        assert_eq!(written.unwrap().count, 2);
    }

    #[test]
    fn ignores_fields_beside_data() {
        for body in [
            "\u{feff}{\"data\":{\"count\":1}}",
            r#" {"data":{"count":1},"meta":{"page":[1]}} "#,
            r#"{"data":{"count":0},"data":{"count":1}}"#,
            r#"{"data":{"count":0,"count":1}}"#,
        ] {
            assert_eq!(read_data::<Sample>(&Body::new(body)).unwrap().count, 1);
        }
        let marked = "\u{feff}{\"data\":1.50}";
        assert_eq!(Body::new(marked).data(), Ok("1.50"));
    }

    #[test]
    fn raw_data_is_unchanged() {
        let body = Body::new(r#"{ "data" : {"b":1.50, "a":"\u00e9"} }"#);
        assert_eq!(body.data(), Ok(r#"{"b":1.50, "a":"\u00e9"}"#));
        Body::new("no JSON").data().unwrap_err();
    }
}
