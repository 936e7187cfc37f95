//! JSON that is not what was expected, told in words for people. Serde speaks of Rust's types.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::engine::without_keys;
use crate::strict::Strict;
use crate::unique_names::UniqueNames;

/// What was found where in a text, and what is expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub(crate) struct Misfit {
    told: String,
    /// Whether every field has its type, and one of them a value that makes no sense.
    is_readable: bool,
}

impl Misfit {
    fn unreadable(told: String) -> Self {
        let is_readable = false;
        Self { told, is_readable }
    }

    fn at_its_place(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        let place = place(error.path());
        let text = without_place(error.inner());
        let in_our_words = in_our_words(&text);
        let is_readable = in_our_words.is_none();
        let reason = in_our_words.unwrap_or(text);
        let told = match place.as_str() {
            "" => reason,
            // The name that stands twice is a key.
            keys if keys.ends_with("keys") && reason.ends_with("stands twice") => {
                format!("{keys}: a key stands twice")
            }
            place => beside(place, &reason),
        };
        let told = without_keys(&told).into_owned();
        Self { told, is_readable }
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.is_readable
    }
}

/// Reads a JSON object.
pub(crate) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T, Misfit> {
    object_in(value(text)?)
}

/// The same from what has been read as JSON already.
pub(crate) fn object_in<T: DeserializeOwned>(value: Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(Strict(value)).map_err(Misfit::at_its_place)
}

/// Reads any JSON in which no object has a name twice.
pub(crate) fn value(text: &[u8]) -> Result<Value, Misfit> {
    // Some editors put a byte order mark in front of a text.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.is_empty() {
        let told = "there is nothing; JSON is expected".to_owned();
        return Err(Misfit::unreadable(told));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let no_json = |error| Misfit::unreadable(format!("it is no JSON: {error}"));
    match serde_path_to_error::deserialize(&mut deserializer) {
        Ok(UniqueNames(value)) => deserializer.end().map(|()| value).map_err(no_json),
        Err(error) if error.inner().is_data() => Err(Misfit::at_its_place(error)),
        Err(error) => Err(no_json(error.into_inner())),
    }
}

/// Refuses a value that is of another type than its place takes.
pub(crate) fn other_type(found: &Value, expected: &str) -> Misfit {
    let found = match found {
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        single => &single.to_string(),
    };
    Misfit::unreadable(format!("found {found}; {expected} is expected"))
}

/// The reason with its place, which may be what the reason begins with.
fn beside(place: &str, reason: &str) -> String {
    let last = place.rsplit('.').next().unwrap_or_default();
    match reason.strip_prefix(&format!("`{last}` ")) {
        Some(rest) => format!("{place} {rest}"),
        None => format!("{place}: {reason}"),
    }
}

/// The path to a field, such as `accounts.demo.links[0].url`. What stands below `keys` is a key, and
/// is not told.
fn place(path: &Path) -> String {
    let mut place = String::new();
    let mut is_key = false;
    for segment in path {
        let name = match segment {
            Segment::Seq { index } => {
                place.push_str(&format!("[{index}]"));
                continue;
            }
            Segment::Map { .. } if is_key => "…",
            Segment::Map { key } => key,
            Segment::Enum { variant } => variant,
            Segment::Unknown => continue,
        };
        if !place.is_empty() {
            place.push('.');
        }
        place.push_str(name);
        is_key = name == "keys";
    }
    place
}

/// The message without the line and column, in place of which the path is told.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Serde's sentences have few forms; one of another form is ours already.
fn in_our_words(text: &str) -> Option<String> {
    if let Some(rest) = after(text, &["invalid type: ", "invalid value: "]) {
        rest.split_once(", expected ").map(|(found, wanted)| {
            let (found, wanted) = (self::found(found), expected(wanted));
            format!("found {found}; {wanted} is expected")
        })
    } else if let Some(rest) = after(text, &["unknown field ", "unknown variant "]) {
        rest.split_once(", expected ").map(|(found, known)| {
            let known = known.trim_start_matches("one of ").replace(" or ", ", ");
            format!("{found} is unknown; known: {known}")
        })
    } else if let Some(field) = after(text, &["missing field "]) {
        Some(format!("the field {field} is missing"))
    } else {
        let field = after(text, &["duplicate field "]);
        field.map(|field| format!("the field {field} stands twice"))
    }
}

/// What follows one of these beginnings.
fn after<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    let mut beginnings = beginnings.iter();
    beginnings.find_map(|beginning| text.strip_prefix(beginning))
}

fn found(found: &str) -> String {
    match found {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        "unit variant" => "a name alone".to_owned(),
        _ => match after(found, &["integer ", "floating point ", "boolean "]) {
            Some(value) => value.replace('`', ""),
            None => found.strip_prefix("string ").unwrap_or(found).to_owned(),
        },
    }
}

fn expected(expected: &str) -> &str {
    match expected {
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "a nonzero u32" => "a whole number from 1 to 4294967295",
        "u64" => "a whole number from 0 to 18446744073709551615",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" | "unit variant" => "its name alone",
        _ if expected.starts_with("struct variant") || expected == "newtype variant" => {
            "an object with its settings"
        }
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Dialect, World};
    use crate::faults::FaultRule;

    #[track_caller]
    fn told<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        object::<T>(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_misfit_names_its_place_and_what_is_expected() {
        for (text, message) in [
            ("", "there is nothing; JSON is expected"),
            (
                "{",
                "it is no JSON: EOF while parsing an object at line 1 column 1",
            ),
            ("[]", "found an array; an object is expected"),
            ("null", "found null; an object is expected"),
            ("{}", "the field `fault` is missing"),
            (
                r#"{"fault": "delay"}"#,
                "fault.delay: found a name alone; an object with its settings is expected",
            ),
            (
                r#"{"fault": {"empty_body": {}}}"#,
                "fault.empty_body: found an object; its name alone is expected",
            ),
            (
                r#"{"fault": 7}"#,
                "fault: found 7; a name or an object with one field is expected",
            ),
            (
                r#"{"fault": "empty_body", "when": {"times": -1}}"#,
                "when.times: found -1; a whole number from 0 to 18446744073709551615 is expected",
            ),
            (
                r#"{"fault": "empty_body", "when": {"times": 1, "times": 2}}"#,
                "when: the field `times` stands twice",
            ),
            (
                r#"{"fault": "empty_body", "when": {"time": 1}}"#,
                "when.time is unknown; known: `skip`, `times`, `probability`, `until`",
            ),
        ] {
            assert_eq!(told::<FaultRule>(text), message, "{text}");
        }
        assert_eq!(
            told::<Dialect>(r#"{"ids": "roman"}"#),
            "ids: `roman` is unknown; known: `string`, `integer`"
        );
    }

    #[test]
    fn what_only_serde_would_take_is_a_misfit() {
        for (text, message) in [
            (
                r#"{"fault": {"status": {"status": 503, "status": 200}}}"#,
                "fault.status: the field `status` stands twice",
            ),
            (
                r#"{"fault": {"empty_body": null}}"#,
                "fault.empty_body: found null; its name alone is expected",
            ),
            (
                r#"{"fault": {"status": [503]}}"#,
                "fault.status: found an array; an object with its settings is expected",
            ),
            (
                r#"{"fault": {"empty_body": {}, "wire": "reset"}}"#,
                "fault: found an object with 2 fields; a name or an object with one field is \
                 expected",
            ),
            (
                r#"{"fault": "empty_body", "match": ["GET"]}"#,
                "match: found an array; an object is expected",
            ),
            (
                r#"{"fault": "empty_body"} x"#,
                "it is no JSON: trailing characters at line 1 column 25",
            ),
        ] {
            assert_eq!(told::<FaultRule>(text), message, "{text}");
        }
    }

    #[test]
    fn a_misfit_tells_no_key() {
        let mut state = serde_json::to_value(World::new(7)).unwrap();
        state["keys"] = serde_json::json!({"canary": {"handle": 7, "scopes": []}});
        assert_eq!(
            told::<World>(&state.to_string()),
            "keys.….handle: found 7; a string is expected"
        );
        assert_eq!(
            told::<World>(r#"{"world": {"keys": {"canary": 1, "canary": 2}}}"#),
            "world.keys: a key stands twice"
        );
    }
}
