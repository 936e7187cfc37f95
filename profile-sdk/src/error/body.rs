//! The error code and message in the body of a response.

use serde_json::{Map, Value};

use crate::error::text::one_line;
use crate::json;

/// The error code and message of a response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
}

/// Reads a code and a message from JSON of the usual shapes, plain text or HTML.
pub(crate) fn read_error_body(body: &[u8]) -> ErrorBody {
    let text = String::from_utf8_lossy(json::without_mark(body));
    let text = text.trim();
    match json::parse(text.as_bytes()) {
        Ok(value) => read_value(&value),
        Err(_) if text.starts_with('<') => without_code(html_title(text)),
        Err(_) => without_code(sentence(text)),
    }
}

fn without_code(message: Option<String>) -> ErrorBody {
    let code = None;
    ErrorBody { code, message }
}

fn read_value(value: &Value) -> ErrorBody {
    match value {
        Value::Object(fields) => read_object(fields),
        Value::String(text) => without_code(sentence(text)),
        Value::Array(errors) => read_list(errors),
        _ => ErrorBody::default(),
    }
}

/// Reads `{"error": …}`, `{"errors": […]}`, `{"message": …}`, `{"detail": …}` or problem details.
fn read_object(fields: &Map<String, Value>) -> ErrorBody {
    let inner = ["error", "errors"]
        .into_iter()
        .filter_map(|name| fields.get(name))
        .map(read_inner)
        .find(|inner| *inner != ErrorBody::default())
        .unwrap_or_default();
    let first = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| fields.get(*name));
        values.find_map(readable)
    };
    let own_message = first(&[
        "message",
        "msg",
        "error_description",
        "detail",
        "title",
        "reason",
    ]);
    // The default type of RFC 9457 adds nothing to the status code.
    let own_code = first(&["code", "error_code", "type"]).filter(|code| code != "about:blank");
    // In `{"error": "not_found", "message": "…"}` the inner string is the code.
    match (inner.message, own_message) {
        (Some(inner_message), Some(own_message)) if inner.code.is_none() => ErrorBody {
            code: own_code.or(Some(inner_message)),
            message: Some(own_message),
        },
        (inner_message, own_message) => ErrorBody {
            code: inner.code.or(own_code),
            message: inner_message.or(own_message),
        },
    }
}

/// Reads the value of `error` or `errors`, which may also map field names to messages.
fn read_inner(value: &Value) -> ErrorBody {
    let read = read_value(value);
    let Value::Object(fields) = value else {
        return read;
    };
    if read != ErrorBody::default() {
        return read;
    }
    let messages: Vec<_> = fields
        .iter()
        .filter_map(|(field, value)| Some(format!("{field}: {}", readable(value)?)))
        .collect();
    without_code(sentence(&messages.join("; ")))
}

/// Joins the messages of a list of errors. Uses the first code.
fn read_list(errors: &[Value]) -> ErrorBody {
    let errors: Vec<_> = errors.iter().map(read_value).collect();
    let messages: Vec<_> = errors.iter().filter_map(|e| e.message.as_deref()).collect();
    ErrorBody {
        message: sentence(&messages.join("; ")),
        code: errors.iter().find_map(|error| error.code.clone()),
    }
}

fn readable(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => sentence(text),
        Value::Number(number) => Some(number.to_string()),
        // `{"detail": [{"msg": …}]}` and nested objects.
        Value::Array(_) | Value::Object(_) => read_value(value).message,
        _ => None,
    }
}

/// Returns the title of an HTML page. The rest is too long for an error message.
fn html_title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    sentence(&page[start..end])
}

/// Puts a text on one line and shortens it. Returns `None` if it is empty.
fn sentence(text: &str) -> Option<String> {
    Some(one_line(text)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{ErrorBody, read_error_body};

    #[track_caller]
    fn check(body: &str, code: Option<&str>, message: Option<&str>) {
        let expected = ErrorBody {
            code: code.map(str::to_owned),
            message: message.map(str::to_owned),
        };
        assert_eq!(read_error_body(body.as_bytes()), expected, "{body}");
    }

    #[test]
    fn reads_the_usual_shapes() {
        let (code, message) = (Some("c"), Some("m"));
        check(
            r#"{"error":{"code":"c","message":"m","field":"f"}}"#,
            code,
            message,
        );
        check(r#"{"error":"m"}"#, None, message);
        check(r#"{"error":"c","message":"m"}"#, code, message);
        check(r#"{"error":"c","error_description":"m"}"#, code, message);
        check(r#"{"code":"c","message":"m"}"#, code, message);
        check(r#"{"code":7,"message":"m"}"#, Some("7"), message);
        check(r#"{"detail":"m"}"#, None, message);
        check(r#"{"detail":[{"message":"m"}]}"#, None, message);
        check(
            r#"{"errors":[{"code":"c","message":"m"},{"message":"n"}]}"#,
            code,
            Some("m; n"),
        );
        check(r#"{"errors":["m","n"]}"#, None, Some("m; n"));
        check(
            r#"{"errors":{"bio":["too long"]}}"#,
            None,
            Some("bio: too long"),
        );
        check(r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#, None, message);
        check(r#"[{"message":"m"}]"#, None, message);
        check(r#""m""#, None, message);
        check("\u{feff}{\"message\":\"m\"}", None, message);
    }

    #[test]
    fn reads_problem_details() {
        check(
            r#"{"type":"https://x/c","title":"t","status":422,"detail":"m"}"#,
            Some("https://x/c"),
            Some("m"),
        );
        check(
            r#"{"type":"about:blank","title":"Not Found"}"#,
            None,
            Some("Not Found"),
        );
    }

    #[test]
    fn reads_text_html_and_empty_bodies() {
        check("Bad\r\n\tgateway ", None, Some("Bad gateway"));
        check(
            "<html><HEAD><title>502 Bad\nGateway</TITLE></html>",
            None,
            Some("502 Bad Gateway"),
        );
        check("<!doctype html><p>no title", None, None);
        check("", None, None);
        check("\0", None, None);
        check("null", None, None);
        check("{}", None, None);
    }

    #[test]
    fn shortens_long_texts() {
        let read = read_error_body("é".repeat(600).as_bytes()).message.unwrap();
        assert_eq!(read.chars().count(), 501);
    }
}
