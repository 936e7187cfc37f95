//! Decodes response bodies.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Unexpected};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use serde_path_to_error::{Path, Segment};

use crate::error::body::{one_line, without_mark};

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
    let response =
        parse(body).map_err(|error| format!("the response is not valid JSON ({error})"))?;
    let Value::Object(mut response) = response else {
        return Err("the response is not a JSON object with the field `data`".to_owned());
    };
    match response.remove("data") {
        Some(data) => decode(data),
        None => Err("the response has no field `data`".to_owned()),
    }
}

/// Decodes the field `data` of a response, without its envelope.
pub(crate) fn read_value<T: ResponseData>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).or_else(|_| {
        let data = parse(json.as_bytes());
        decode(data.map_err(|error| format!("data is not valid JSON ({error})"))?)
    })
}

fn decode<T: ResponseData>(mut data: Value) -> Result<T, String> {
    let mut unexpected = UnexpectedFields::<T> {
        fields: Map::new(),
        in_elements: Vec::new(),
    };
    loop {
        let error = match serde_path_to_error::deserialize::<_, T>(&data) {
            Ok(mut value) => {
                unexpected.move_to_extra(&mut value);
                return Ok(value);
            }
            Err(error) => error,
        };
        if !unexpected.take(&mut data, error.path()) {
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

/// The fields that were removed from the data of a response.
struct UnexpectedFields<T: ResponseData> {
    fields: Map<String, Value>,
    in_elements: Vec<ElementField<T>>,
}

/// A field of one element of a list.
struct ElementField<T: ResponseData> {
    list: &'static List<T>,
    index: usize,
    name: String,
    value: Value,
}

impl<T: ResponseData> UnexpectedFields<T> {
    /// Removes the field at a path: the field of an element if possible, otherwise the field of the
    /// data. Returns `false` if the field must not be removed.
    fn take(&mut self, data: &mut Value, path: &Path) -> bool {
        self.take_element_field(data, path).is_some() || self.take_field(data, path).is_some()
    }

    /// Adds the removed fields to the `extra` of the decoded value.
    fn move_to_extra(self, value: &mut T) {
        value.add_extra(self.fields);
        for field in self.in_elements {
            if let Some(extra) = (field.list.extra)(value, field.index) {
                extra.insert(field.name, field.value);
            }
        }
    }

    fn take_element_field(&mut self, data: &mut Value, path: &Path) -> Option<()> {
        let [list, index, name] = path.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let (list, name) = (field_name(list)?, field_name(name)?);
        let &Segment::Seq { index } = index else {
            return None;
        };
        let list = T::LISTS.iter().find(|known| known.name == list)?;
        if !list.lenient_fields.contains(&name) {
            return None;
        }
        let element = data.get_mut(list.name)?.get_mut(index)?.as_object_mut()?;
        let (name, value) = element.remove_entry(name)?;
        self.in_elements.push(ElementField {
            list,
            index,
            name,
            value,
        });
        Some(())
    }

    fn take_field(&mut self, data: &mut Value, path: &Path) -> Option<()> {
        let name = field_name(path.iter().next()?)?;
        if !T::LENIENT_FIELDS.contains(&name) {
            return None;
        }
        let (name, mut value) = data.as_object_mut()?.remove_entry(name)?;
        for field in self
            .in_elements
            .extract_if(.., |field| field.list.name == name)
        {
            value[field.index][field.name] = field.value;
        }
        self.fields.insert(name, value);
        Some(())
    }
}

fn field_name(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Map { key } => Some(key),
        _ => None,
    }
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
    /// The fields of an element whose shape the specification does not define.
    pub(crate) lenient_fields: &'static [&'static str],
    /// Returns the `extra` of the element with this index.
    pub(crate) extra: fn(&mut T, usize) -> Option<&mut Map<String, Value>>,
}

/// A resource in the response to a write.
pub(crate) trait Resource: ResponseData {
    /// Returns `true` if the value has at least one field of the resource.
    fn is_recognized(&self) -> bool;
}

/// The largest number below which a floating-point number represents every integer: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Decodes a count. `12` and `12.0` are the same number.
pub(crate) fn read_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    count_of_number(&Number::deserialize(deserializer)?)
}

/// Decodes a count that may be null.
pub(crate) fn read_optional_count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    number.as_ref().map(count_of_number).transpose()
}

/// Returns the count in a value, if it is one.
pub(crate) fn count_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| whole_number(value.as_f64()?))
}

fn count_of_number<E: Error>(number: &Number) -> Result<u64, E> {
    let count = number.as_u64().or_else(|| whole_number(number.as_f64()?));
    count.ok_or_else(|| {
        let found = number.to_string();
        E::invalid_value(Unexpected::Other(&found), &"a non-negative integer")
    })
}

fn whole_number(number: f64) -> Option<u64> {
    let exact = (0.0..=MAX_EXACT).contains(&number) && number.fract() == 0.0;
    exact.then_some(number as u64)
}

/// Returns the whole number at the start of a text, as in `100, 100;w=60`.
pub(crate) fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

/// The maximum depth of the arrays and objects that are parsed. It is limited, because every level
/// scans its text again.
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
        let is_integer = !value.contains(['.', 'e', 'E']);
        let parsed = match parse_value(value, depth) {
            Value::Number(id) if name == "id" && id.is_f64() && is_integer => value.into(),
            parsed => parsed,
        };
        (name, parsed)
    });
    Some(Value::Object(fields.collect()))
}

fn parse_array(text: &str, depth: u32) -> Option<Value> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let elements = elements.into_iter();
    Some(elements.map(|raw| parse_value(raw.get(), depth)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{
        MAX_DEPTH, Resource, ResponseData, count_of, parse, raw_data, read_count, read_data,
        read_optional_count, read_written,
    };

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

    #[test]
    fn decodes_whole_numbers_in_any_notation() {
        for (json, count) in [
            ("0", 0),
            ("12", 12),
            ("12.0", 12),
            ("1.2e1", 12),
            ("-0.0", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            assert_eq!(read_count(&mut deserializer).unwrap(), count, "{json}");
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(count_of(&value), Some(count), "{json}");
        }
        assert_eq!(read_optional_count(json!(null)).unwrap(), None);
        assert_eq!(read_optional_count(json!(12.0)).unwrap(), Some(12));
    }

    #[test]
    fn rejects_values_that_are_not_counts() {
        for (json, found) in [
            (
                json!(-1),
                "invalid value: -1, expected a non-negative integer",
            ),
            (
                json!(1.5),
                "invalid value: 1.5, expected a non-negative integer",
            ),
            (
                json!(1e16),
                "invalid value: 1e+16, expected a non-negative integer",
            ),
            (
                json!("12"),
                "invalid type: string \"12\", expected a JSON number",
            ),
        ] {
            assert_eq!(read_count(&json).unwrap_err().to_string(), found);
            assert_eq!(count_of(&json), None);
        }
    }

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
