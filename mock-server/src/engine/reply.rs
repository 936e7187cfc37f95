//! The HTTP response of the engine, and the writer of the JSON objects in it.

use std::borrow::Cow;

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::dialect::{
    ContentRejection, DaysOutOfRange, ErrorBody, ErrorTemplate, RateLimitRejection, RetryAfter,
    ScopeRejection, Values, WriteResponses,
};
use super::{Dialect, Problem, Status, http_date};

/// The names, in lower case, and values of headers.
pub(crate) type HeaderLines = Vec<(Cow<'static, str>, Cow<'static, str>)>;

/// An HTTP response as plain values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The status code, 100 to 599.
    pub status: u16,
    /// The names, in lower case, and values of the headers.
    pub headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// The body: JSON, empty, or plain text if the dialect has plain-text rejections.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns a response with the body `{"data": resource}`.
    pub(super) fn data(status: u16, resource: &impl Serialize) -> Self {
        Self::fields(status, |object| object.value("data", resource))
    }

    /// Does the same for a resource that is an object.
    pub(super) fn object(status: u16, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        Self::fields(status, |object| object.object("data", resource))
    }

    pub(super) fn created(dialect: &Dialect, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        let observed = dialect.write_statuses.created;
        Self::written(dialect, observed, || Self::object(201, resource))
    }

    pub(super) fn edited(dialect: &Dialect, resource: impl FnOnce(&mut Object<'_>)) -> Self {
        let observed = dialect.write_statuses.edited;
        Self::written(dialect, observed, || Self::object(200, resource))
    }

    pub(super) fn deleted(dialect: &Dialect) -> Self {
        let observed = dialect.write_statuses.deleted;
        Self::written(dialect, observed, || Self::empty(204))
    }

    fn written(dialect: &Dialect, observed: Option<u16>, resource: impl FnOnce() -> Self) -> Self {
        let reply = match dialect.write_responses {
            WriteResponses::Resource => resource(),
            WriteResponses::EmptyData => Self::object(200, |_| {}),
            WriteResponses::NullData => Self::data(200, &()),
            WriteResponses::NoContent => Self::empty(204),
        };
        match observed {
            None => reply,
            Some(status @ (204 | 205)) => Self::empty(status),
            Some(status) => Self { status, ..reply },
        }
    }

    /// Returns the response to a problem in the form that the dialect prescribes.
    pub(super) fn to_problem(problem: &Problem, dialect: &Dialect, now: Timestamp) -> Self {
        let kind = problem.kind();
        let code = kind.as_str();
        let observed = dialect.rejections.0.get(code).cloned().unwrap_or_default();
        let status = observed.status;
        let status = status.unwrap_or_else(|| status_code(kind.status(), dialect));
        let values = Values {
            status,
            code: observed.code.as_deref().unwrap_or(code),
            message: &observed.message.unwrap_or_else(|| problem.to_string()),
            field: problem.field(),
        };
        let reply = match &dialect.error_template {
            Some(template) => template.reply(values),
            None => Self::rejection(dialect.error_body, values),
        };
        if let Problem::MethodNotAllowed { allowed, .. } = problem
            && status == 405
        {
            reply.with_header("allow", allowed.join(", "))
        } else if let Problem::RateLimited { quota } = problem
            && dialect.sends_rate_limit_headers()
        {
            let end = now.saturating_add(SignedDuration::from_secs(quota.reset));
            let retry_after = match dialect.retry_after {
                RetryAfter::Seconds => quota.reset.to_string(),
                RetryAfter::Date => http_date(end.unwrap_or(Timestamp::MAX)),
            };
            reply.with_header("retry-after", retry_after)
        } else if status == 401 {
            reply.with_header("www-authenticate", "Bearer")
        } else {
            reply
        }
    }

    /// Returns a rejection in the default shape, `{"error": {"code", "message"}}`.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        let values = Values {
            status,
            code,
            message,
            field: None,
        };
        Self::rejection(ErrorBody::Nested, values)
    }

    fn rejection(shape: ErrorBody, values: Values<'_>) -> Self {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let message = match shape {
            ErrorBody::Html => &escape(values.message).replace('>', "&gt;"),
            _ => values.message,
        };
        ErrorTemplate::from(shape).reply(Values { message, ..values })
    }

    pub(crate) fn with_header(
        mut self,
        name: &'static str,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns a response without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Returns a response with a JSON body.
    pub(crate) fn json(status: u16, body: &impl Serialize) -> Self {
        // Structs keep the order of their fields; that of `serde_json::Value` depends on a feature.
        let body = serde_json::to_vec(body).expect("the bodies contain only JSON values");
        Self::with_body("application/json", status, body)
    }

    /// Returns a response with a JSON object.
    pub(crate) fn fields(status: u16, fields: impl FnOnce(&mut Object<'_>)) -> Self {
        Self::with_body("application/json", status, to_json(fields))
    }

    pub(crate) fn with_body(
        content_type: impl Into<Cow<'static, str>>,
        status: u16,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), content_type.into())],
            body: body.into(),
        }
    }
}

fn status_code(status: Status, dialect: &Dialect) -> u16 {
    let content = match dialect.content_rejection {
        ContentRejection::BadRequest => 400,
        ContentRejection::Unprocessable => 422,
    };
    match status {
        Status::Always(status) => status,
        Status::Scope => match dialect.scope_rejection {
            ScopeRejection::Unauthorized => 401,
            ScopeRejection::Forbidden => 403,
        },
        Status::Days if dialect.days_out_of_range == DaysOutOfRange::BadRequest => 400,
        Status::Content | Status::Days => content,
        Status::RateLimit => match dialect.rate_limit_rejection {
            RateLimitRejection::ServiceUnavailable => 503,
            RateLimitRejection::TooManyRequests | RateLimitRejection::WithoutHeaders => 429,
        },
        Status::Tolerated => 400,
    }
}

/// Returns the reason phrase of a status code.
pub(super) fn title(status: u16) -> &'static str {
    let known = StatusCode::from_u16(status).ok();
    known
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Rejected")
}

/// A JSON object under construction. A closure writes its fields in their order.
///
/// `serde_json` examines strings byte by byte, so that handling `GET /me` would take a third longer.
pub(crate) struct Object<'a> {
    json: &'a mut Vec<u8>,
    is_empty: bool,
}

/// Returns the object with these fields as JSON.
pub(crate) fn to_json(fields: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    // Enough for most objects.
    let mut json = Vec::with_capacity(4096);
    write_object(&mut json, fields);
    // The journal keeps it.
    json.shrink_to_fit();
    json
}

fn write_object(json: &mut Vec<u8>, fields: impl FnOnce(&mut Object<'_>)) {
    json.push(b'{');
    let is_empty = true;
    fields(&mut Object { json, is_empty });
    json.push(b'}');
}

impl Object<'_> {
    #[inline]
    pub(crate) fn string(&mut self, name: &'static str, text: &str) {
        self.name(name);
        write_string(self.json, text);
    }

    pub(crate) fn object(&mut self, name: &'static str, fields: impl FnOnce(&mut Object<'_>)) {
        self.name(name);
        write_object(self.json, fields);
    }

    /// Writes an array of objects; `fields` writes the fields of an item.
    pub(crate) fn array<T>(
        &mut self,
        name: &'static str,
        items: impl Iterator<Item = T>,
        fields: impl Fn(&mut Object<'_>, T),
    ) {
        self.name(name);
        self.json.push(b'[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.json.push(b',');
            }
            write_object(self.json, |object| fields(object, item));
        }
        self.json.push(b']');
    }

    pub(crate) fn value(&mut self, name: &'static str, value: &impl Serialize) {
        self.name(name);
        serde_json::to_writer(&mut *self.json, value).expect("the values have a JSON form");
    }

    // Inlined, since the length of the name is known there.
    #[inline]
    fn name(&mut self, name: &'static str) {
        if !self.is_empty {
            self.json.push(b',');
        }
        self.is_empty = false;
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.extend_from_slice(b"\":");
    }
}

fn write_string(json: &mut Vec<u8>, text: &str) {
    if has_escaped(text.as_bytes()) {
        serde_json::to_writer(json, text).expect("a string has a JSON form");
        return;
    }
    json.reserve(text.len() + 2);
    json.push(b'"');
    json.extend_from_slice(text.as_bytes());
    json.push(b'"');
}

/// Returns `true` if a byte must be escaped. The bytes of a block are examined at once.
fn has_escaped(text: &[u8]) -> bool {
    let or_byte = |any, byte: &u8| any | is_escaped(*byte);
    let or_block = |any, block: &[u8; 8]| any | block.iter().fold(false, or_byte);
    match text.last_chunk() {
        None => text.iter().fold(false, or_byte),
        // The last block may overlap the one before.
        Some(last) => (text.as_chunks().0.iter()).fold(or_block(false, last), or_block),
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn nested(texts: &[String]) -> Vec<u8> {
        to_json(|object| {
            object.array("all", texts.iter(), |object, text| {
                object.string("text", text)
            });
            object.value("number", &7);
            object.object("empty", |_| {});
        })
    }

    #[test]
    fn escapes_a_character_at_every_position() {
        for length in 1..=20 {
            for position in 0..length {
                let mut text = "a".repeat(length);
                text.replace_range(position..=position, "\"");
                let expected = format!(r#"{{"text":{}}}"#, json!(text));
                assert_eq!(
                    String::from_utf8(to_json(|object| object.string("text", &text))).unwrap(),
                    expected
                );
            }
        }
    }

    #[test]
    fn writes_every_character_as_serde_json_does() {
        let characters = ('\0'..='\u{ff}').chain("…😀\u{2028}".chars());
        let texts: Vec<_> = characters
            .flat_map(|one| {
                [
                    one.to_string(),
                    format!("a long text before {one} and after"),
                ]
            })
            .chain([String::new()])
            .collect();
        let read: Value = serde_json::from_slice(&nested(&texts)).unwrap();
        let all: Vec<_> = texts.iter().map(|text| json!({"text": text})).collect();
        assert_eq!(read, json!({"all": all, "number": 7, "empty": {}}));
        let json = nested(&["a".to_owned(), "\n".to_owned()]);
        let expected = r#"{"all":[{"text":"a"},{"text":"\n"}],"number":7,"empty":{}}"#;
        assert_eq!(String::from_utf8(json).unwrap(), expected);
    }
}
