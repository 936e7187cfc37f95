//! A response whose body has not been decoded, and the error code and message in its body.

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use crate::json::{self, Body};
use crate::text::one_line;
use crate::values::ApiKey;

/// A response with its undecoded body.
#[derive(Clone, Default)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
    /// `true` if the body was truncated.
    pub(crate) is_truncated: bool,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn request_id(&self) -> Option<&str> {
        let names = ["x-request-id", "request-id"];
        names.into_iter().find_map(|name| self.header(name))
    }

    /// Redacts the key, which a service may echo in an error response.
    pub(crate) fn redacted(mut self, key: Option<&ApiKey>) -> Self {
        let Some(key) = key else { return self };
        let body = String::from_utf8_lossy(&self.body.bytes);
        if let Some(redacted) = key.redact(&body, self.is_truncated) {
            self.body = Body::new(redacted);
        }
        for value in self.headers.values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes());
            if key.redact(&text, false).is_some() {
                *value = HeaderValue::from_static("[redacted]");
            }
        }
        self
    }
}

/// The members with a message, the first of which counts.
const MESSAGES: &str = "message msg defaultMessage error_description detail title reason description \
                        hydra:description";

/// The members with reasons.
const REASONS: &str = "errorMessages errors detail details violations fieldViolations";

/// The members with the name of a field: a text, a JSON pointer or a path. Others only in a list.
const FIELDS: &str = "field param target property propertyPath";

/// The maximum depth of arrays and objects, since they are read in two ways: each level doubles the time.
const MAX_DEPTH: usize = 8;

/// The error code and message of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) code: Option<String>,
    /// The message, with the fields and their reasons.
    pub(crate) message: Option<String>,
    /// The names of rejected fields with the reasons.
    pub(crate) fields: Vec<(String, String)>,
}

/// Returns `true` if a body is an HTML page, as of a proxy or a login.
pub(crate) fn is_page(body: &[u8]) -> bool {
    json::without_mark(body)
        .trim_ascii_start()
        .starts_with(b"<")
}

/// Reads a code and a message from JSON of the usual shapes, plain text or HTML.
pub(crate) fn read_error_body(body: &[u8]) -> ErrorBody {
    let text = String::from_utf8_lossy(json::without_mark(body));
    let text = text.trim();
    match json::parse(text.as_bytes(), MAX_DEPTH) {
        Ok(value) => read_value(&value),
        Err(_) if is_page(body) => only_message(html_title(text)),
        Err(_) => only_message(sentence(text)),
    }
}

fn only_message(message: Option<String>) -> ErrorBody {
    ErrorBody {
        message,
        ..ErrorBody::default()
    }
}

fn read_value(value: &Value) -> ErrorBody {
    match value {
        Value::Object(fields) if is_form(fields) => read_fields(fields),
        Value::Object(fields) => read_members(fields),
        Value::String(text) => only_message(sentence(text)),
        Value::Array(errors) => read_list(errors, read_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => ErrorBody::default(),
    }
}

/// Reads `{"error": …}`, `{"errors": …}`, `{"message": …}`, `{"detail": …}` or problem details.
fn read_members(fields: &Map<String, Value>) -> ErrorBody {
    let error = fields.get("error").map(read_inner).unwrap_or_default();
    let detail = fields.get("detail").filter(|detail| !detail.is_string());
    let lists = REASONS.split(' ').filter_map(|name| match name {
        "errors" => fields.get("errors").map(read_inner),
        "detail" => detail.map(read_inner),
        name => fields.get(name).map(read_reasons),
    });
    let errors = join(lists.map(|list| (None, list)));
    let first = |names: &str| {
        let values = names.split(' ').filter_map(|name| fields.get(name));
        let mut others = values.filter(|value| detail != Some(*value));
        others.find_map(readable)
    };
    let own_message = first(MESSAGES);
    // The default type of RFC 9457 adds nothing to the status code.
    let own_code = first("code error_code type").filter(|code| code != "about:blank");
    // In `{"error": "not_found", "message": "…"}` the inner string is the code.
    let is_text = fields.get("error").is_some_and(Value::is_string) && own_message.is_some();
    let (message, text) = match is_text {
        true => (own_message, error.message),
        false => (error.message.or(own_message), None),
    };
    let codes = [error.code, own_code, text, errors.code];
    let mut codes = codes.into_iter().flatten();
    let mut read = ErrorBody {
        code: codes.find(|code| !code.contains(char::is_whitespace)),
        message: match (message, errors.message) {
            (Some(message), Some(errors)) if !message.contains(&errors) => {
                sentence(&format!("{}: {errors}", message.trim_end_matches('.')))
            }
            (message, errors) => message.or(errors),
        },
        fields: [error.fields, errors.fields].concat(),
    };
    if read.fields.is_empty() {
        let name = FIELDS.split(' ').find_map(|name| fields.get(name));
        let reason = read.message.as_ref().or(read.code.as_ref()).cloned();
        read.fields.extend(name.and_then(path_text).zip(reason));
    }
    read
}

/// Reads a member in which only texts and objects with a known member are reasons. Without such a member, lists of
/// texts are about fields, and single texts may be about anything.
fn read_reasons(value: &Value) -> ErrorBody {
    let entry = |entry: &Value| match entry {
        Value::Object(fields) => read_members(fields),
        Value::Array(_) => ErrorBody::default(),
        entry => read_value(entry),
    };
    let is_list = |reasons: &Vec<Value>| reasons.iter().all(Value::is_string);
    match value {
        Value::Array(entries) => read_list(entries, entry),
        Value::Object(fields) if entry(value) == ErrorBody::default() => {
            let mut texts = fields.clone();
            texts.retain(|_, text| text.is_string() || text.as_array().is_some_and(is_list));
            let mut read = read_fields(&texts);
            read.fields
                .retain(|(name, _)| fields.get(name).is_some_and(Value::is_array));
            read
        }
        value => entry(value),
    }
}

/// Reads the value of `error`, `errors` or `detail`, which may also map field names to reasons.
fn read_inner(value: &Value) -> ErrorBody {
    let read = read_value(value);
    let is_unknown = read == ErrorBody::default();
    let form = value.as_object();
    let form = form.filter(|fields| is_unknown || fields.values().all(Value::is_array));
    form.map_or(read, read_fields)
}

/// Returns `true` for an object of field names with reasons, as in a rejected form. A field may have the name of
/// a member of an error, such as `title`, but then its value is not a text.
fn is_form(fields: &Map<String, Value>) -> bool {
    let is_field = |(name, value): (&String, &Value)| {
        let is_reason = match value {
            Value::Array(_) => true,
            Value::Object(inner) => inner.contains_key("message") || is_form(inner),
            _ => false,
        };
        let mut members = REASONS.split(' ').chain(["error", "message"]);
        is_reason && members.all(|member| member != name)
    };
    !fields.is_empty() && fields.iter().all(is_field)
}

/// Reads an object of field names with reasons.
fn read_fields(fields: &Map<String, Value>) -> ErrorBody {
    let mut fields = reasons(fields);
    let messages = fields.iter().map(|(name, reason)| match name.as_str() {
        "" => reason.clone(),
        name => format!("{name}: {reason}"),
    });
    let message = sentence(&messages.collect::<Vec<_>>().join("; "));
    // A reason without a name is about the form as a whole.
    fields.retain(|(name, _)| !name.is_empty());
    ErrorBody {
        message,
        code: None,
        fields,
    }
}

/// Returns the fields of a form with their reasons. Fields of nested objects have paths.
fn reasons(fields: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in fields {
        let name = one_line(name);
        match value {
            Value::Object(inner) if is_form(inner) => {
                let inner = reasons(inner).into_iter();
                found.extend(inner.map(|(inner, reason)| {
                    let path = format!("{name}.{inner}");
                    (path.trim_matches('.').to_owned(), reason)
                }));
            }
            value => found.extend(readable(value).map(|reason| (name, reason))),
        }
    }
    found
}

/// Reads a list of errors, with the names of their fields.
fn read_list(errors: &[Value], read: fn(&Value) -> ErrorBody) -> ErrorBody {
    join(errors.iter().map(|value| {
        let error = read(value);
        let message = error.message.or_else(|| error.code.clone());
        (field_name(value), ErrorBody { message, ..error })
    }))
}

/// Joins the messages of errors. Uses the first code.
fn join(errors: impl Iterator<Item = (Option<String>, ErrorBody)>) -> ErrorBody {
    let (mut list, mut messages) = (ErrorBody::default(), Vec::new());
    for (name, error) in errors {
        match (name, error.message) {
            (Some(name), Some(reason)) => {
                messages.push(format!("{name}: {reason}"));
                list.fields.push((name, reason));
            }
            (None, reason) => messages.extend(reason),
            (Some(_), None) => {}
        }
        list.fields.extend(error.fields);
        list.fields.dedup();
        list.code = list.code.or(error.code);
    }
    list.message = sentence(&messages.join("; "));
    list
}

/// Returns the name of the field that an error of a list is about.
fn field_name(error: &Value) -> Option<String> {
    let source = error.get("source").into_iter();
    let mut named = source.chain([error]);
    let names = FIELDS
        .split(' ')
        .chain(["pointer", "parameter", "loc", "path"]);
    path_text(named.find_map(|error| names.clone().find_map(|name| error.get(name)))?)
}

fn path_text(path: &Value) -> Option<String> {
    match path {
        Value::Array(path) => {
            let parts = path.iter().filter(|part| *part != "body");
            let parts: Vec<_> = parts.filter_map(readable).collect();
            sentence(&parts.join("."))
        }
        name => sentence(name.as_str()?.trim_start_matches(['#', '/'])),
    }
}

fn readable(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => sentence(text),
        Value::Number(number) => Some(number.to_string()),
        // `{"detail": [{"msg": …}]}` and nested objects.
        Value::Array(_) | Value::Object(_) => read_value(value).message,
        Value::Null | Value::Bool(_) => None,
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
    use super::read_error_body;

    #[track_caller]
    fn check(body: &str, code: Option<&str>, message: Option<&str>) {
        let read = read_error_body(body.as_bytes());
        let (read_code, read_message) = (read.code.as_deref(), read.message.as_deref());
        assert_eq!((read_code, read_message), (code, message), "{body}");
    }

    #[track_caller]
    fn check_form(body: &str, code: Option<&str>, message: &str, fields: &[(&str, &str)]) {
        check(body, code, Some(message));
        let read = read_error_body(body.as_bytes()).fields;
        let read: Vec<_> = read
            .iter()
            .map(|(name, reason)| (&**name, &**reason))
            .collect();
        assert_eq!(read, fields, "{body}");
    }

    /// The bodies with which frameworks reject a form.
    #[test]
    fn reads_rejected_forms() {
        for (body, code, message, fields) in [
            // Laravel.
            (
                r#"{"message":"The bio is too long. (and 1 more error)","errors":{"bio":["Too long.","Odd."],"links.0.url":["Not a URL."]}}"#,
                None,
                "The bio is too long. (and 1 more error): bio: Too long.; Odd.; links.0.url: Not a URL.",
                &[("bio", "Too long.; Odd."), ("links.0.url", "Not a URL.")][..],
            ),
            // ASP.NET Core.
            (
                r#"{"type":"https://x/rfc9110#400","title":"One or more validation errors occurred.","status":400,"errors":{"Name":["Required."]},"traceId":"00-1"}"#,
                Some("https://x/rfc9110#400"),
                "One or more validation errors occurred: Name: Required.",
                &[("Name", "Required.")],
            ),
            // RFC 9457.
            (
                r##"{"type":"https://x/invalid","title":"Your request is not valid.","errors":[{"detail":"must be positive","pointer":"#/age"},{"detail":"must be red","pointer":"#/profile/color"}]}"##,
                Some("https://x/invalid"),
                "Your request is not valid: age: must be positive; profile/color: must be red",
                &[
                    ("age", "must be positive"),
                    ("profile/color", "must be red"),
                ],
            ),
            // GitHub.
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}],"documentation_url":"https://x"}"#,
                Some("missing_field"),
                "Validation Failed: title: missing_field",
                &[("title", "missing_field")],
            ),
            // Spring.
            (
                r#"{"timestamp":1,"status":400,"error":"Bad Request","message":"Validation failed","errors":[{"codes":["NotBlank.a","NotBlank"],"arguments":[{"code":"a"}],"defaultMessage":"must not be blank","field":"name","rejectedValue":"","code":"NotBlank"}],"path":"/users"}"#,
                Some("NotBlank"),
                "Validation failed: name: must not be blank",
                &[("name", "must not be blank")],
            ),
            // Django REST framework.
            (
                r#"{"email":["Enter a valid address.","Taken."],"name":["Required."]}"#,
                None,
                "email: Enter a valid address.; Taken.; name: Required.",
                &[
                    ("email", "Enter a valid address.; Taken."),
                    ("name", "Required."),
                ],
            ),
            // FastAPI.
            (
                r#"{"detail":[{"loc":["body","links",0],"msg":"field required","type":"missing"}]}"#,
                Some("missing"),
                "links.0: field required",
                &[("links.0", "field required")],
            ),
        ] {
            check_form(body, code, message, fields);
        }
    }

    #[test]
    fn fields_of_forms_can_have_names_of_members_of_errors_and_be_nested() {
        for (body, message, fields) in [
            // Django REST framework, with the names of members of errors, and a nested form.
            (
                r#"{"title":["Required."],"type":["Odd."],"profile":{"":["Odd too."],"bio":["Too long."],"links":{"0":{"url":["Bad."]}}}}"#,
                "profile: Odd too.; profile.bio: Too long.; profile.links.0.url: Bad.; title: Required.; type: Odd.",
                &[
                    ("profile", "Odd too."),
                    ("profile.bio", "Too long."),
                    ("profile.links.0.url", "Bad."),
                    ("title", "Required."),
                    ("type", "Odd."),
                ][..],
            ),
            // Rails.
            (
                r#"{"errors":{"title":["can't be blank"],"message":["is odd"],"":["is not valid"]}}"#,
                "is not valid; message: is odd; title: can't be blank",
                &[("message", "is odd"), ("title", "can't be blank")],
            ),
            // Mongoose.
            (
                r#"{"errors":{"title":{"message":"Required.","kind":"required"}},"message":"Validation failed"}"#,
                "Validation failed: title: Required.",
                &[("title", "Required.")],
            ),
            // One error, and the same in a list.
            (
                r#"{"error":{"message":"Odd.","field":"bio"}}"#,
                "Odd.",
                &[("bio", "Odd.")],
            ),
            (
                r#"{"detail":"Odd.","param":"bio"}"#,
                "Odd.",
                &[("bio", "Odd.")],
            ),
            (
                r#"{"errors":[{"message":"Odd.","field":"bio"}]}"#,
                "bio: Odd.",
                &[("bio", "Odd.")],
            ),
            // JSON:API.
            (
                r#"{"errors":[{"status":"422","source":{"pointer":"/data/attributes/title"},"title":"Invalid","detail":"Must not be empty."},{"source":{"parameter":"days"},"detail":"Bad."}],"meta":{},"links":{}}"#,
                "data/attributes/title: Must not be empty.; days: Bad.",
                &[
                    ("data/attributes/title", "Must not be empty."),
                    ("days", "Bad."),
                ],
            ),
        ] {
            check_form(body, None, message, fields);
        }
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

    /// Checks a member at the top and in `error`.
    #[track_caller]
    fn check_member(member: &str, message: &str, fields: &[(&str, &str)]) {
        let top = format!(r#"{{"message":"m",{member}}}"#);
        let renamed = top.replace(r#"{"message":"m""#, r#"{"hydra:description":"m""#);
        for body in [format!(r#"{{"error":{top}}}"#), top, renamed] {
            check_form(&body, None, message, fields);
        }
    }

    #[test]
    fn reads_members_with_reasons() {
        let bio = &[("bio", "x")][..];
        for (member, message, fields) in [
            (r#""details":"x""#, "x", &[][..]),
            (r#""details":["a",7,["b"]]"#, "a", &[]),
            (r#""details":{"bio":"x","n":1}"#, "bio: x", &[]),
            (
                r#""errorMessages":["a"],"errors":{"bio":"x"}"#,
                "a; bio: x",
                bio,
            ),
        ] {
            check_member(member, &format!("m: {message}"), fields);
        }
        for member in [
            r#""details":{"bio":["x"]}"#,
            // OData, joi and Google.
            r#""details":[{"target":"bio","message":"x"}]"#,
            r#""details":[{"path":["bio"],"message":"x"}]"#,
            r#""details":[{"fieldViolations":[{"field":"bio","description":"x"}]}]"#,
            // API Platform and Bean Validation.
            r#""violations":[{"propertyPath":"bio","title":"x"}]"#,
            r#""errors":[{"property":"bio","detail":"x"}]"#,
        ] {
            check_member(member, "m: bio: x", bio);
        }
    }

    #[test]
    fn other_members_tell_nothing() {
        for member in [
            r#""details":"m""#,
            // Links, help, a trace, the request, the resource, and extensions of GraphQL.
            r#""links":[{"description":"d","title":"t"}]"#,
            r#""details":[{"links":[{"description":"d"}]}],"help":"h""#,
            r#""trace":["t"],"details":[{"stackEntries":["t"]}]"#,
            r#""details":{"request":{"message":"r"}}"#,
            r#""resource":{"title":"r"},"details":[{"resource":{"title":"r"}}]"#,
            r#""extensions":{"message":"e","exception":{"message":"e"}}"#,
        ] {
            check_member(member, "m", &[]);
        }
    }

    #[test]
    fn a_code_is_not_a_sentence() {
        check(
            r#"{"statusCode":400,"message":["name is empty","bio is long"],"error":"Bad Request"}"#,
            None,
            Some("name is empty; bio is long"),
        );
        check(
            r#"{"error":{"message":"m"},"message":"n"}"#,
            None,
            Some("m"),
        );
        check(r#"{"code":"Not a code.","message":"m"}"#, None, Some("m"));
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
    fn deep_nesting_takes_little_time_and_hides_nothing_else() {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for (open, close) in [
                (r#"{"error":"#, "}"),
                (r#"{"errors":["#, "]}"),
                (r#"{"details":["#, "]}"),
                (r#"{"details":"#, "}"),
                (r#"{"detail":"#, "}"),
                (r#"{"field":["#, "]}"),
                (r#"{"bio":{"message":"#, "}}"),
                (r#"{"bio":{"":[],"a":"#, "}}"),
            ] {
                for levels in [30, 10_000] {
                    let deep = format!("{}{{}}{}", open.repeat(levels), close.repeat(levels));
                    read_error_body(deep.as_bytes());
                    check(
                        &format!(r#"{{"more":{deep},"message":"m"}}"#),
                        None,
                        Some("m"),
                    );
                }
            }
            sender.send(()).unwrap();
        });
        receiver
            .recv_timeout(std::time::Duration::from_secs(60))
            .unwrap();
    }

    #[test]
    fn shortens_long_texts() {
        let read = read_error_body("é".repeat(600).as_bytes()).message.unwrap();
        assert_eq!(read.chars().count(), 501);
    }
}
