//! The template of the bodies of rejections.

use http::HeaderValue;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A template of the bodies of rejections.
///
/// As JSON it is an object with `body`, and `content_type` if it differs from `application/json`, or
/// from `text/plain; charset=utf-8` for a text. In the texts and names of the body, `{code}`,
/// `{message}`, `{field}` and `{status}` stand for the values of a rejection; `"{status}"` alone
/// becomes a number, and so does `"{number}"`, the code if it consists of digits. Where no field is the
/// cause, members and elements with `{field}` are omitted.
///
/// ```
/// use mock_server::{Dialect, Request, World, handle};
///
/// let mut world = World::new(0);
/// world.set_dialect(Dialect::from_json(
///     r#"{"error_template": {"body": {"errors": [{"id": "{code}", "source": "{field}"}]}}}"#,
/// )?);
/// let reply = handle(&mut world, &Request::new("GET", "/api/v1/me"));
/// assert_eq!(reply.body, br#"{"errors":[{"id":"key_missing"}]}"#);
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorTemplate {
    #[serde(default, deserialize_with = "header_value")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    body: Value,
}

/// The values of a rejection.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Values<'a> {
    pub(in crate::engine) status: u16,
    pub(in crate::engine) code: &'a str,
    pub(in crate::engine) message: &'a str,
    pub(in crate::engine) field: Option<&'a str>,
}

impl ErrorTemplate {
    pub(in crate::engine) fn content_type(&self) -> String {
        let default = match self.body {
            Value::String(_) => "text/plain; charset=utf-8",
            _ => "application/json",
        };
        self.content_type.clone().unwrap_or(default.to_owned())
    }

    /// Returns the body with the values of a rejection.
    pub(in crate::engine) fn body(&self, values: Values<'_>) -> Vec<u8> {
        let body = match &self.body {
            Value::String(text) => {
                let field = values.field.or(Some(""));
                return values_in(text, Values { field, ..values })
                    .unwrap_or_default()
                    .into();
            }
            body => filled(body, values).unwrap_or_default(),
        };
        body.to_string().into()
    }
}

/// Returns the value with all texts and names filled in, or `None` if it needs a field that does not
/// exist.
fn filled(template: &Value, values: Values<'_>) -> Option<Value> {
    Some(match template {
        Value::String(text) if text == "{status}" => values.status.into(),
        Value::String(text) if text == "{number}" => match values.code.parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => values.code.into(),
        },
        Value::String(text) => values_in(text, values)?.into(),
        Value::Array(items) => items.iter().filter_map(|one| filled(one, values)).collect(),
        Value::Object(members) => {
            let members = members.iter().filter_map(|(name, value)| {
                Some((values_in(name, values)?, filled(value, values)?))
            });
            members.collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    })
}

/// Replaces the placeholders in one pass, since a value may look like a placeholder.
fn values_in(template: &str, values: Values<'_>) -> Option<String> {
    let status = values.status.to_string();
    let placeholders = [
        ("{status}", Some(status.as_str())),
        ("{code}", Some(values.code)),
        ("{message}", Some(values.message)),
        ("{field}", values.field),
    ];
    let (mut text, mut rest) = (String::new(), template);
    while let Some(start) = rest.find('{') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let found = placeholders.iter().find(|(name, _)| rest.starts_with(name));
        let (name, value) = found.copied().unwrap_or(("{", Some("{")));
        text.push_str(value?);
        rest = &rest[name.len()..];
    }
    Some(text + rest)
}

fn header_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = String::deserialize(deserializer)?;
    match HeaderValue::from_str(&value) {
        Ok(_) => Ok(Some(value)),
        Err(_) => Err(D::Error::custom(format!(
            "found {value:?}; expected a content type such as application/json"
        ))),
    }
}
