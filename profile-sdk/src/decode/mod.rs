//! Decodes response bodies: leniently where the specification defines no shape, strictly where it
//! does.

pub(crate) mod count;
mod exact_values;
pub(crate) mod response_data;
mod unexpected_fields;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::body::without_mark;
use crate::error::one_line::one_line;
use response_data::{Resource, ResponseData};
use unexpected_fields::UnexpectedFields;

/// Decodes the field `data` of a body.
///
/// The error contains the JSON path, the reason and the start of the body.
pub(crate) fn read_data<T: ResponseData>(body: &[u8]) -> Result<T, String> {
    // Checking UTF-8 once for the whole body is faster than for each string in it.
    if let Ok(text) = std::str::from_utf8(body)
        && let Ok(envelope) = serde_json::from_str::<Envelope<T>>(text)
    {
        return Ok(envelope.data);
    }
    read_leniently(body).map_err(|reason| unreadable(&reason, body))
}

/// Decodes the resource in the response to a write, or returns `None` if there is no recognizable
/// resource. The specification does not define this response, so this is not an error.
pub(crate) fn read_written<T: Resource>(body: &[u8]) -> Option<T> {
    read_data(body).ok().filter(T::is_recognized)
}

/// Returns the JSON text of the field `data`, byte for byte as received.
pub(crate) fn raw_data(body: &[u8]) -> Option<&str> {
    let envelope: RawEnvelope<'_> = serde_json::from_slice(without_mark(body)).ok()?;
    Some(envelope.data.get())
}

#[derive(Deserialize)]
pub(crate) struct Envelope<T> {
    pub(crate) data: T,
}

#[derive(Deserialize)]
struct RawEnvelope<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
}

/// The slow path: moves fields that cannot be decoded to `extra` if the specification does not
/// define their shape, otherwise returns an error with the path of the field.
fn read_leniently<T: ResponseData>(body: &[u8]) -> Result<T, String> {
    let body = without_mark(body);
    let response = exact_values::parse(body)
        .map_err(|error| format!("the response is not valid JSON ({error})"))?;
    let Value::Object(mut response) = response else {
        return Err("the response is not a JSON object with the field `data`".to_owned());
    };
    let Some(mut data) = response.remove("data") else {
        return Err("the response has no field `data`".to_owned());
    };
    let mut unexpected = UnexpectedFields::default();
    loop {
        let error = match serde_path_to_error::deserialize::<_, T>(&data) {
            Ok(mut value) => {
                unexpected.move_to_extra(&mut value);
                return Ok(value);
            }
            Err(error) => error,
        };
        if !unexpected.take::<T>(&mut data, error.path()) {
            let path = error.path().to_string();
            return T::from_unexpected(data).ok_or_else(|| error_at(&path, error.inner()));
        }
    }
}

fn error_at(path: &str, reason: &serde_json::Error) -> String {
    match path {
        "." => format!("data: {reason}"),
        _ if path.starts_with('[') => format!("data{path}: {reason}"),
        _ => format!("data.{path}: {reason}"),
    }
}

/// Returns the message for a body that cannot be decoded. The reason may quote the body.
pub(crate) fn unreadable(reason: &str, body: &[u8]) -> String {
    format!(
        "{}; the body starts with {}",
        one_line(reason),
        start_of(body)
    )
}

/// Returns the start of a body, escaped on one line.
fn start_of(body: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * SHOWN)]);
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start:?}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Resource, ResponseData, raw_data, read_data, read_written};

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
        let body = br#"{"data":{"count":1,"list":[1,"two"],"more":true}}"#;
        let sample: Sample = read_data(body).unwrap();
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
            assert_eq!(read_data::<Sample>(body.as_bytes()).unwrap_err(), message);
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
            assert_eq!(read_written::<Sample>(body.as_bytes()), None, "{body:?}");
        }
        let written = read_written::<Sample>(br#"{"data":{"count":2}}"#);
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
            assert_eq!(read_data::<Sample>(body.as_bytes()).unwrap().count, 1);
        }
        let marked = "\u{feff}{\"data\":1.50}";
        assert_eq!(raw_data(marked.as_bytes()), Some("1.50"));
    }

    #[test]
    fn raw_data_is_unchanged() {
        let body = br#"{ "data" : {"b":1.50, "a":"\u00e9"} }"#;
        assert_eq!(raw_data(body), Some(r#"{"b":1.50, "a":"\u00e9"}"#));
        assert_eq!(raw_data(b"no JSON"), None);
    }
}
