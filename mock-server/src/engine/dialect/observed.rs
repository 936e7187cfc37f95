//! The settings that are no choice between alternatives: the data of a running service, which are empty
//! by default and take precedence over the other settings, and the timeout of deliveries.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::settings::ErrorBody;
use crate::engine::reply::title;
use crate::engine::{ProblemKind, ProfileField, Reply};

/// The status codes, codes and messages of rejections.
///
/// As JSON it is an object with an object for each code of the mock, such as
/// `{"unknown_field": {"status": 400, "code": "E17", "message": "invalid request"}}`. All three
/// fields are optional; the status is 400 to 599. Reports and the journal show the code of the mock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rejections(
    #[serde(deserialize_with = "by_code")] pub(in crate::engine) BTreeMap<String, ObservedRejection>,
);

/// The response to a rejection, as far as it was observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::engine) struct ObservedRejection {
    #[serde(deserialize_with = "status::<_, 400, 599>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) message: Option<String>,
}

/// The status codes of successful writes.
///
/// As JSON it is an object with the optional fields `created`, `edited` and `deleted`, each 200 to
/// 299. A response with 204 or 205 has no body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WriteStatuses {
    #[serde(deserialize_with = "status::<_, 200, 299>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) created: Option<u16>,
    #[serde(deserialize_with = "status::<_, 200, 299>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) edited: Option<u16>,
    #[serde(deserialize_with = "status::<_, 200, 299>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) deleted: Option<u16>,
}

/// The names of the headers about the rate limit.
///
/// As JSON it is an object with the optional fields `limit`, `remaining` and `reset`. A header
/// without a name is not sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimitHeaderNames {
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) limit: Option<String>,
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) remaining: Option<String>,
    #[serde(deserialize_with = "header_name")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) reset: Option<String>,
}

fn by_code<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, ObservedRejection>, D::Error> {
    let mut rejections: BTreeMap<String, ObservedRejection> = BTreeMap::deserialize(deserializer)?;
    // Older files have one code for both.
    if let Some(observed) = rejections.remove("key_invalid") {
        for code in ["malformed_authorization", "unknown_key"] {
            let new = rejections.entry(code.to_owned());
            new.or_insert_with(|| observed.clone());
        }
    }
    let known: Vec<_> = ProblemKind::rejections().collect();
    let is_unknown = |code: &&String| !known.contains(&code.as_str());
    match rejections.keys().find(is_unknown) {
        Some(code) => Err(D::Error::custom(format!(
            "unknown rejection `{code}`; expected one of {}",
            known.join(", ")
        ))),
        None => Ok(rejections),
    }
}

/// Reads a status code from `MIN` to `MAX`.
fn status<'de, D: Deserializer<'de>, const MIN: u16, const MAX: u16>(
    deserializer: D,
) -> Result<Option<u16>, D::Error> {
    let status = u16::deserialize(deserializer)?;
    if (MIN..=MAX).contains(&status) {
        return Ok(Some(status));
    }
    Err(D::Error::custom(format!(
        "found {status}; expected a status code from {MIN} to {MAX}"
    )))
}

/// Headers whose other values would make responses unreadable.
const HTTP_HEADERS: &str = "connection, content-encoding, content-length, content-type, date, host, \
                            keep-alive, te, trailer, transfer-encoding, upgrade";

fn header_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(name) if HTTP_HEADERS.split(", ").any(|used| name == used) => {
            Err(D::Error::custom(format!(
                "found {:?}, which HTTP itself uses, as it does {HTTP_HEADERS}; expected another name",
                name.as_str()
            )))
        }
        Ok(name) => Ok(Some(name.as_str().to_owned())),
        Err(_) => Err(D::Error::custom(format!(
            "found {name:?}; expected the name of a header, such as X-RateLimit-Limit"
        ))),
    }
}

/// A template of the bodies of rejections.
///
/// As JSON it is an object with `body`, and `content_type` if it differs from `application/json`, or
/// from `text/plain; charset=utf-8` for a text. In the texts and names of the body, `{code}`,
/// `{message}`, `{field}`, `{status}` and `{title}`, the reason phrase, stand for the values of a rejection; `"{status}"` alone
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

impl From<ErrorBody> for ErrorTemplate {
    fn from(shape: ErrorBody) -> Self {
        let flat = || json!({"code": "{code}", "message": "{message}", "field": "{field}"});
        let (content_type, body) = match shape {
            ErrorBody::Nested => (None, json!({"error": flat()})),
            ErrorBody::Flat => (None, flat()),
            ErrorBody::ProblemDetails => (
                Some("application/problem+json"),
                json!({"type": "about:blank", "title": "{title}", "status": "{status}",
                    "detail": "{message}", "code": "{code}", "field": "{field}"}),
            ),
            ErrorBody::Detail => (None, json!({"detail": "{message}"})),
            ErrorBody::PlainText => (None, json!("{message}")),
            ErrorBody::Html => (
                Some("text/html; charset=utf-8"),
                json!(
                    "<!doctype html>\n<html><head><title>{status} {title}</title></head>\n\
                       <body><h1>{status} {title}</h1><p>{message}</p></body></html>\n"
                ),
            ),
            ErrorBody::Empty => (None, json!("")),
        };
        let content_type = content_type.map(str::to_owned);
        Self { content_type, body }
    }
}

impl ErrorTemplate {
    /// Returns the response with the values of a rejection. An empty text is no body.
    pub(in crate::engine) fn reply(&self, values: Values<'_>) -> Reply {
        let (default, body) = match &self.body {
            Value::String(text) => {
                let field = values.field.or(Some(""));
                let text = values_in(text, Values { field, ..values }).unwrap_or_default();
                ("text/plain; charset=utf-8", text)
            }
            body => {
                let body = filled(body, values).unwrap_or_default();
                ("application/json", body.to_string())
            }
        };
        if body.is_empty() {
            return Reply::empty(values.status);
        }
        let content_type = self.content_type.clone();
        let content_type = content_type.unwrap_or_else(|| default.to_owned());
        Reply::with_body(content_type, values.status, body)
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
        ("{title}", Some(title(values.status))),
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

/// Fields of responses that the specification does not list, with constant values.
///
/// As JSON it is an object with an object of fields for each of these, all optional: `me` (only
/// `GET /me`), `profile` (`GET /me` and edits of the profile), `key`, `link`, `post`, `badge`,
/// `statistics`, `analytics` and `site`. A field that the mock itself returns keeps its value.
///
/// ```
/// use mock_server::Dialect;
///
/// Dialect::from_json(r#"{"extra_fields": {"link": {"clicks": 12}}}"#)?;
/// assert_eq!(
///     Dialect::from_json(r#"{"extra_fields": {"link": {"url": ""}}}"#).unwrap_err().to_string(),
///     "extra_fields: `url` of `link` is in the specification; expected other fields",
/// );
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraFields(
    #[serde(deserialize_with = "unspecified")] pub(in crate::engine) BTreeMap<Place, Fields>,
);

type Fields = Map<String, Value>;

/// A kind of object in responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::engine) enum Place {
    Me,
    Profile,
    Key,
    Link,
    Post,
    Badge,
    Statistics,
    Analytics,
    Site,
}

impl ExtraFields {
    /// Adds the fields of a place to an object, or to all objects in an array. An empty object is the
    /// response to a write.
    pub(in crate::engine) fn add(&self, place: Place, objects: &mut Value) {
        let objects = match objects {
            Value::Array(objects) => objects.as_mut_slice(),
            object => std::slice::from_mut(object),
        };
        let objects = objects.iter_mut().filter_map(Value::as_object_mut);
        for object in objects.filter(|object| !object.is_empty()) {
            for (name, value) in self.0.get(&place).into_iter().flatten() {
                object.entry(name).or_insert_with(|| value.clone());
            }
        }
    }
}

impl Place {
    /// Returns the name and the fields in the specification.
    fn specified(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Me => ("me", &["email", "api_visible", "key"]),
            Self::Profile => ("profile", ProfileField::NAMES),
            Self::Key => ("key", &["scopes", "rate_limit"]),
            Self::Link => ("link", &["id", "title", "url"]),
            Self::Post => ("post", &["id", "body"]),
            Self::Badge => ("badge", &["id", "name", "description", "color", "kind"]),
            Self::Statistics => (
                "statistics",
                &["total_views", "period", "daily", "devices", "countries"],
            ),
            Self::Analytics => ("analytics", &["views", "likes"]),
            Self::Site => ("site", &["users", "views", "links"]),
        }
    }
}

fn unspecified<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Place, Fields>, D::Error> {
    let places: BTreeMap<Place, Fields> = BTreeMap::deserialize(deserializer)?;
    for (place, fields) in &places {
        let (place, specified) = place.specified();
        if let Some(name) = specified.iter().find(|name| fields.contains_key(**name)) {
            return Err(D::Error::custom(format!(
                "`{name}` of `{place}` is in the specification; expected other fields"
            )));
        }
    }
    Ok(places)
}

/// The timeout of a webhook delivery, 10 seconds by default. In JSON it is a number of seconds greater
/// than 0, with or without a fraction.
///
/// ```
/// use mock_server::dialect::WebhookTimeout;
/// use std::time::Duration;
///
/// assert_eq!(WebhookTimeout::default(), WebhookTimeout(Duration::from_secs(10)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookTimeout(pub Duration);

impl Default for WebhookTimeout {
    fn default() -> Self {
        Self(Duration::from_secs(10))
    }
}

impl Serialize for WebhookTimeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for WebhookTimeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        match Duration::try_from_secs_f64(seconds) {
            Ok(timeout) if !timeout.is_zero() => Ok(Self(timeout)),
            _ => Err(D::Error::custom(format!(
                "found {seconds}; expected a number of seconds, at least 0.000000001 and less than \
                 18446744073709551616"
            ))),
        }
    }
}
