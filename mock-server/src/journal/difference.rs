//! The differences between a recorded request and a pattern. Each completes the sentence "received
//! PATCH /me/profile, but …".

use std::collections::BTreeSet;

use serde_json::Value;
use url::form_urlencoded;

use super::{RecordedRequest, RequestPattern};
use crate::engine::{Request, is_path_of};
use crate::redaction::{escape, label, printable};

/// Maximum number of characters of a value in a report.
const MAX_SHOWN: usize = 60;

/// Maximum number of them before the first difference, if the value is longer.
const MAX_BEFORE: usize = 30;

impl RequestPattern {
    /// Returns `true` if a request without a response matches.
    pub(crate) fn matches(&self, request: &Request) -> bool {
        // Before the body, which may be large, is copied.
        if !has_method(self, &request.method) || !has_path(self, &request.path) {
            return false;
        }
        let body_length = request.body_length();
        let unanswered = RecordedRequest {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            key: request.key().and_then(label).map(str::to_owned),
            headers: request.headers.clone(),
            body: request.body.clone(),
            body_length,
            is_body_truncated: request.body.len() < body_length,
            ..RecordedRequest::default()
        };
        differences(self, &unanswered).is_empty()
    }

    /// Returns `true` if the pattern has conditions on the query, the headers or the body.
    pub(super) fn has_texts(&self) -> bool {
        let is_empty = self.query.is_empty() && self.headers.is_empty();
        !is_empty || self.body_contains.is_some() || self.body.is_some()
    }
}

pub(super) fn has_method(pattern: &RequestPattern, method: &str) -> bool {
    let expected = pattern.method.as_ref();
    expected.is_none_or(|expected| expected == method)
}

pub(super) fn has_path(pattern: &RequestPattern, path: &str) -> bool {
    let expected = pattern.path.as_deref();
    expected.is_none_or(|expected| is_path_of(expected, path))
}

/// Returns the differences; empty if the request matches.
pub(super) fn differences(pattern: &RequestPattern, request: &RecordedRequest) -> Vec<String> {
    let mut texts = Vec::new();
    if !has_method(pattern, &request.method) {
        let expected = pattern.method.as_deref();
        texts.push(describe("the method", "", Some(&request.method), expected));
    }
    if let (Some(path), false) = (&pattern.path, has_path(pattern, &request.path)) {
        texts.push(format!("not to {path}"));
    }
    let query = request.query.as_deref().unwrap_or_default();
    for (name, expected) in &pattern.query {
        let found = form_urlencoded::parse(query.as_bytes())
            .filter(|(given, _)| given == name)
            .map(|(_, value)| value.into_owned());
        let name = format!("{name}=");
        texts.extend(compare_any("the query parameter", &name, found, expected));
    }
    for (name, expected) in &pattern.headers {
        let headers = request.headers.iter();
        let found = headers.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        let found = found.map(|(_, value)| value.clone());
        let name = format!("{name}: ");
        texts.extend(compare_any("the header", &name, found, expected));
    }
    if let Some(part) = &pattern.body_contains {
        texts.extend(body_differences(part, request, true));
    }
    if let Some(whole) = &pattern.body {
        texts.extend(body_differences(whole, request, false));
    }
    let (key, fault) = (pattern.key.as_deref(), pattern.fault.as_deref());
    let [found, expected] =
        [request.status, pattern.status].map(|status| status.map(|code| code.to_string()));
    for (what, found, expected) in [
        ("the key", request.key.as_deref(), key),
        ("the status", found.as_deref(), expected.as_deref()),
        ("the fault", request.fault.as_deref(), fault),
    ] {
        if expected.is_some() && found != expected {
            texts.push(describe(what, "", found, expected));
        }
    }
    texts
}

/// Describes two values that differ, with the name of both.
fn describe(what: &str, name: &str, found: Option<&str>, expected: Option<&str>) -> String {
    let common = found.zip(expected).map(|(found, expected)| {
        let pairs = found.chars().zip(expected.chars());
        pairs
            .take_while(|(found, expected)| found == expected)
            .count()
    });
    let show = |value: &str| format!("{name}{}", shorten(value, common));
    match (found.map(show), expected.map(show)) {
        (Some(found), Some(expected)) => format!("with {what} `{found}` instead of `{expected}`"),
        (Some(found), None) => format!("with {what} `{found}`"),
        (None, expected) => format!("without {what} `{}`", expected.unwrap_or_default()),
    }
}

/// Returns the difference, unless one of the values is the expected one.
fn compare_any(
    what: &str,
    name: &str,
    found: impl Iterator<Item = String>,
    expected: &Option<String>,
) -> Option<String> {
    let found: Vec<_> = found.collect();
    let is_equal = match expected {
        Some(expected) => found.contains(expected),
        None => found.is_empty(),
    };
    let found = found.first().map(String::as_str);
    (!is_equal).then(|| describe(what, name, found, expected.as_deref()))
}

/// Compares a body with a value that it must equal or, if `is_part`, contain.
fn body_differences(expected: &Value, request: &RecordedRequest, is_part: bool) -> Vec<String> {
    let length = request.body_length;
    if length == 0 {
        return vec!["without a body".to_owned()];
    }
    if request.is_body_truncated {
        let kept = request.body.len();
        return vec![format!(
            "with a body of {length} bytes, of which only {kept} are recorded"
        )];
    }
    let Ok(found) = serde_json::from_slice(&request.body) else {
        return vec!["with a body that is not valid JSON".to_owned()];
    };
    let mut texts = Vec::new();
    compare_json("", Some(expected), Some(&found), is_part, &mut texts);
    texts
}

/// Lists the differing values with their paths, such as `data.links[0].url`.
fn compare_json(
    path: &str,
    expected: Option<&Value>,
    found: Option<&Value>,
    is_part: bool,
    texts: &mut Vec<String>,
) {
    match (expected, found) {
        (Some(Value::Object(expected)), Some(Value::Object(found))) => {
            // Additional fields are reported only if a field is missing: one may be a misspelling.
            let lacks_field = expected.keys().any(|name| !found.contains_key(name));
            let names: BTreeSet<_> = match is_part && !lacks_field {
                true => expected.keys().collect(),
                false => expected.keys().chain(found.keys()).collect(),
            };
            for name in names {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                compare_json(&path, expected.get(name), found.get(name), is_part, texts);
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(found)))
            if expected.len() == found.len() =>
        {
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                let path = format!("{path}[{index}]");
                compare_json(&path, Some(expected), Some(found), is_part, texts);
            }
        }
        _ if expected == found => {}
        _ => {
            let (what, name) = match path {
                "" => ("the body", String::new()),
                _ => ("the field", format!("{path}: ")),
            };
            let [found, expected] = [found, expected].map(|value| value.map(Value::to_string));
            texts.push(describe(what, &name, found.as_deref(), expected.as_deref()));
        }
    }
}

/// Returns a value in printable form, cut around its first difference from another one, which follows this number
/// of common characters. The character there is escaped unless it is ASCII, since others may look the same.
fn shorten(value: &str, common: Option<usize>) -> String {
    let common = common.unwrap_or(usize::MAX);
    let start = match value.chars().count() > MAX_SHOWN && common < usize::MAX {
        true => common.saturating_sub(MAX_BEFORE),
        false => 0,
    };
    let mut shown = String::from(if start > 0 { "…" } else { "" });
    for (place, c) in value.chars().enumerate().skip(start).take(MAX_SHOWN) {
        match place == common && !c.is_ascii() {
            true => shown.push_str(&escape(c)),
            false => shown.push(c),
        }
    }
    if value.chars().nth(start + MAX_SHOWN).is_some() {
        shown.push('…');
    }
    printable(&shown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn differ(expected: Value, found: Value, is_part: bool, expected_texts: &[&str]) {
        let mut texts = Vec::new();
        compare_json("", Some(&expected), Some(&found), is_part, &mut texts);
        assert_eq!(texts, expected_texts);
    }

    #[test]
    fn a_part_allows_additional_fields() {
        let found = || json!({"a": 1, "b": {"c": [1, {"d": "x", "e": null}]}});
        for part in [
            json!({}),
            json!({"a": 1}),
            json!({"b": {"c": [1, {"d": "x"}]}}),
            found(),
        ] {
            differ(part, found(), true, &[]);
        }
        differ(found(), found(), false, &[]);
    }

    #[test]
    fn reports_differences_with_their_paths() {
        let found = || json!({"a": 1, "b": {"c": [1, {"d": "x"}]}});
        for (expected, texts) in [
            (
                json!({"a": "1"}),
                &[r#"with the field `a: 1` instead of `a: "1"`"#][..],
            ),
            (
                json!({"a": 1, "b": {"c": [1, {"d": "y"}]}}),
                &[r#"with the field `b.c[1].d: "x"` instead of `b.c[1].d: "y"`"#],
            ),
            (
                json!({"a": 1, "b": {"c": []}}),
                &[r#"with the field `b.c: [1,{"d":"x"}]` instead of `b.c: []`"#],
            ),
            (
                json!({"a": 1, "b": {"z": 1}}),
                &[
                    r#"with the field `b.c: [1,{"d":"x"}]`"#,
                    "without the field `b.z: 1`",
                ],
            ),
            (
                json!([]),
                &[r#"with the body `{"a":1,"b":{"c":[1,{"d":"x"}]}}` instead of `[]`"#],
            ),
        ] {
            differ(expected, found(), true, texts);
        }
        differ(
            json!({}),
            json!({"nickname": "A"}),
            false,
            &[r#"with the field `nickname: "A"`"#],
        );
    }

    #[test]
    fn two_values_never_look_the_same() {
        let long =
            "Hello, I am a person who likes to write long texts about many things, and ".repeat(4);
        for (found, expected) in [
            ("é", "e\u{301}"),
            ("\u{d55c}", "\u{1112}\u{1161}\u{11ab}"),
            ("a b", "a\u{a0}b"),
            ("a b", "a\u{202f}b"),
            ("ab", "a\u{200b}b"),
            ("ab", "ab\u{200d}"),
            ("ab", "ab\u{feff}"),
            ("a-b", "a\u{2011}b"),
            ("a", "\u{430}"),
            ("\u{2764}", "\u{2764}\u{fe0f}"),
            ("ab", "\u{202e}ab"),
            ("x", "y"),
        ] {
            for (before, after) in [("", ""), (&*long, ""), ("", &*long), (&*long, &*long)] {
                let [found, expected] =
                    [found, expected].map(|text| json!({"bio": format!("{before}{text}{after}")}));
                let mut texts = Vec::new();
                compare_json("", Some(&expected), Some(&found), true, &mut texts);
                let (found, expected) = texts[0].split_once("` instead of `").unwrap();
                let found = found.strip_prefix("with the field `bio: ").unwrap();
                let expected = expected
                    .strip_suffix('`')
                    .unwrap()
                    .strip_prefix("bio: ")
                    .unwrap();
                let differs = found.replace('\u{301}', "") != expected.replace('\u{301}', "");
                assert!(differs && found.chars().count() < 75, "{texts:?}");
            }
        }
    }

    #[test]
    fn truncates_long_values() {
        let long = json!("é".repeat(100));
        let text = format!("with the body `\"{}…` instead of `1`", "é".repeat(59));
        differ(json!(1), long, true, &[&text]);
    }
}
