//! How one JSON value differs from another that was expected.

use std::fmt;

use serde_json::Value;

/// How many characters of a value are shown.
const SHOWN: usize = 60;

/// Whether an object may have more fields than expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    Allowed,
    Refused,
}

/// One difference; fields are named by their path, such as `data.links[0].url`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyDifference {
    /// A field that was not expected. Where it would be allowed it is named only beside another
    /// difference of the same object, since it is then likely to be the reason.
    With {
        field: String,
    },
    Without {
        field: String,
    },
    Other {
        /// Empty for the body as a whole.
        field: String,
        found: String,
        expected: String,
    },
}

pub(super) fn compare(expected: &Value, found: &Value, extra: Extra) -> Vec<BodyDifference> {
    let mut differences = Vec::new();
    Comparison {
        extra,
        differences: &mut differences,
    }
    .values("", expected, found);
    differences
}

struct Comparison<'a> {
    extra: Extra,
    differences: &'a mut Vec<BodyDifference>,
}

type Object = serde_json::Map<String, Value>;

impl Comparison<'_> {
    fn values(&mut self, field: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) => self.objects(field, expected, found),
            (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
                for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                    self.values(&format!("{field}[{index}]"), expected, found);
                }
            }
            _ if expected == found => {}
            _ => self.differences.push(BodyDifference::Other {
                field: field.to_owned(),
                found: shown(found),
                expected: shown(expected),
            }),
        }
    }

    fn objects(&mut self, field: &str, expected: &Object, found: &Object) {
        let path = |name: &str| match field {
            "" => name.to_owned(),
            _ => format!("{field}.{name}"),
        };
        let before = self.differences.len();
        for (name, expected) in expected {
            match found.get(name) {
                Some(found) => self.values(&path(name), expected, found),
                None => self
                    .differences
                    .push(BodyDifference::Without { field: path(name) }),
            }
        }
        if self.extra == Extra::Refused || self.differences.len() > before {
            let unexpected = found.keys().filter(|name| !expected.contains_key(*name));
            let unexpected = unexpected.map(|name| BodyDifference::With { field: path(name) });
            self.differences.splice(before..before, unexpected);
        }
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl fmt::Display for BodyDifference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::With { field } => write!(formatter, "with `{field}`"),
            Self::Without { field } => write!(formatter, "without `{field}`"),
            Self::Other {
                field,
                found,
                expected,
            } => {
                let field = if field.is_empty() { "body" } else { field };
                write!(formatter, "with `{field}` {found} in place of {expected}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn differ(expected: Value, found: Value, extra: Extra, texts: &[&str]) {
        let differences = compare(&expected, &found, extra);
        let shown: Vec<_> = differences.iter().map(BodyDifference::to_string).collect();
        assert_eq!(shown, texts);
    }

    #[test]
    fn a_part_may_have_more_around_it() {
        let found = || json!({"a": 1, "b": {"c": [1, {"d": "x", "e": null}]}});
        for part in [
            json!({}),
            json!({"a": 1}),
            json!({"b": {"c": [1, {"d": "x"}]}}),
            found(),
        ] {
            differ(part, found(), Extra::Allowed, &[]);
        }
        differ(found(), found(), Extra::Refused, &[]);
    }

    #[test]
    fn what_differs_is_named_by_its_path() {
        let found = || json!({"a": 1, "b": {"c": [1, {"d": "x"}]}});
        for (expected, texts) in [
            (
                json!({"a": "1"}),
                &["with `b`", r#"with `a` 1 in place of "1""#][..],
            ),
            (
                json!({"a": 1, "b": {"c": [1, {"d": "y"}]}}),
                &[r#"with `b.c[1].d` "x" in place of "y""#],
            ),
            (
                json!({"a": 1, "b": {"c": []}}),
                &[r#"with `b.c` [1,{"d":"x"}] in place of []"#],
            ),
            (
                json!({"a": 1, "b": {"z": 1}}),
                &["with `b.c`", "without `b.z`"],
            ),
            (
                json!([]),
                &[r#"with `body` {"a":1,"b":{"c":[1,{"d":"x"}]}} in place of []"#],
            ),
        ] {
            differ(expected, found(), Extra::Allowed, texts);
        }
        differ(
            json!({}),
            json!({"nickname": "A"}),
            Extra::Refused,
            &["with `nickname`"],
        );
    }

    #[test]
    fn long_values_are_cut() {
        let long = json!("é".repeat(100));
        let text = format!("with `body` \"{}… in place of 1", "é".repeat(59));
        differ(json!(1), long, Extra::Allowed, &[&text]);
    }
}
