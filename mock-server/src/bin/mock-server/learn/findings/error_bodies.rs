//! Findings in the bodies of rejections.

use serde_json::{Map, Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

/// Returns a rejection that names a field, or any other one.
fn base(observations: &Observations) -> Result<&Answer, String> {
    let named = observations.answer(Step::UnknownProfileField);
    let named = named.ok().filter(|answer| answer.is_rejection());
    let mut all = observations.answers().map(|(_, answer)| answer);
    let base = named.or_else(|| all.find(|answer| answer.is_rejection()));
    base.ok_or_else(|| "no request was rejected".to_owned())
}

/// Returns the shape of the body.
pub(in crate::learn) fn shape(observations: &Observations) -> Found {
    let base = base(observations)?;
    match (shape_of(base), template(observations)) {
        (None, Some(_)) => Err("see error_template".to_owned()),
        (shape, _) => Ok(Finding::learned(shape, base.body_sample())),
    }
}

/// Returns a template for a shape that the mock does not have.
pub(in crate::learn) fn error_template(observations: &Observations) -> Found {
    let base = base(observations)?;
    let sample = base.body_sample();
    Ok(match template(observations) {
        _ if shape_of(base).is_some() => Finding::AsTheMock { sample },
        None => return Err("see error_body".to_owned()),
        Some(body) => {
            let mut value = json!({ "body": body });
            if base.content_type() != "application/json" {
                value["content_type"] = base.content_type().into();
            }
            Finding::Learned { value, sample }
        }
    })
}

/// Compares the bodies of all rejections.
pub(in crate::learn) fn uniformity(observations: &Observations) -> Found {
    let base = base(observations)?;
    let (shape, template) = (shape_of(base), template(observations));
    let is_same = |answer: &Answer| match (shape, &template, &answer.json) {
        (None, Some(template), Some(body)) => fits(template, body),
        _ => shape_of(answer) == shape,
    };
    let mut all = observations.answers().map(|(_, answer)| answer);
    let other = all.find(|answer| answer.is_rejection() && !is_same(answer));
    Ok(Finding::as_the_mock(
        other.is_none(),
        other.unwrap_or(base).body_sample(),
    ))
}

/// Returns the JSON pointer to the code in rejections.
pub(super) fn code_pointer(observations: &Observations) -> Option<String> {
    match shape_of(base(observations).ok()?) {
        Some("nested") => Some("/error/code".to_owned()),
        Some("flat" | "problem_details") => Some("/code".to_owned()),
        Some(_) => None,
        None => pointer_to_code(&template(observations)?),
    }
}

fn pointer_to_code(template: &Value) -> Option<String> {
    let below =
        |(name, value): (String, &Value)| Some(format!("/{name}{}", pointer_to_code(value)?));
    match template {
        Value::String(text) => (text == "{code}").then(String::new),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .find_map(below),
        Value::Array(all) => all
            .iter()
            .enumerate()
            .map(|(index, one)| (index.to_string(), one))
            .find_map(below),
        _ => None,
    }
}

fn template(observations: &Observations) -> Option<Value> {
    let base = base(observations).ok()?;
    let body = base.json.as_ref().filter(|body| body.is_object())?;
    let all = observations
        .answers()
        .filter(|(_, answer)| answer.is_rejection());
    let others: Vec<_> = all.filter_map(|(_, answer)| answer.json.as_ref()).collect();
    let context = Context {
        status: base.status,
        field: &observations.unknown_field,
    };
    Some(context.generalize("", body, &others))
}

/// The values of a rejection that become placeholders.
struct Context<'a> {
    status: u16,
    field: &'a str,
}

impl Context<'_> {
    /// Replaces the values that differ between rejections. `others` are the values at the same place.
    fn generalize(&self, name: &str, base: &Value, others: &[&Value]) -> Value {
        match base {
            Value::Object(fields) => {
                let general = fields.iter().map(|(name, value)| {
                    let others: Vec<_> =
                        others.iter().filter_map(|other| other.get(name)).collect();
                    (name.clone(), self.generalize(name, value, &others))
                });
                general.collect::<Map<_, _>>().into()
            }
            Value::Array(all) => {
                let general = all.iter().enumerate().map(|(index, value)| {
                    let others: Vec<_> =
                        others.iter().filter_map(|other| other.get(index)).collect();
                    self.generalize(name, value, &others)
                });
                general.collect()
            }
            Value::Number(number) if number.as_u64() == Some(self.status.into()) => {
                json!("{status}")
            }
            // The field may be a part of a path, such as `/{field}`, but not of a sentence.
            Value::String(text) if text.contains(self.field) && !text.contains(' ') => {
                json!(text.replace(self.field, "{field}"))
            }
            Value::String(text) if others.iter().any(|other| *other != base) => {
                let is_word =
                    |other: &&Value| other.as_str().is_some_and(|text| !text.contains(' '));
                match others.iter().all(is_word) {
                    true if is_identifier(name) => json!(text),
                    true => json!("{code}"),
                    false => json!("{message}"),
                }
            }
            other => other.clone(),
        }
    }
}

/// Returns `true` for names of values that identify one response.
fn is_identifier(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["id", "trace", "time", "instance"]
        .iter()
        .any(|part| name.contains(part))
}

/// Returns `true` if a body has the members of a template, except those that name a field.
fn fits(template: &Value, body: &Value) -> bool {
    let is_optional = |value: &Value| value.to_string().contains("{field}");
    match (template, body) {
        (Value::Object(expected), Value::Object(found)) => {
            found.keys().all(|name| expected.contains_key(name))
                && expected.iter().all(|(name, value)| match found.get(name) {
                    Some(found) => fits(value, found),
                    None => is_optional(value),
                })
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .zip(found)
                    .all(|(expected, found)| fits(expected, found))
        }
        (expected, found) => !expected.is_object() && !found.is_object(),
    }
}

/// Returns the shape of a body that the mock has.
fn shape_of(answer: &Answer) -> Option<&'static str> {
    if answer.text.is_empty() {
        return Some("empty");
    }
    match answer.content_type() {
        "text/plain" => return Some("plain_text"),
        "text/html" => return Some("html"),
        _ => {}
    }
    let body = answer.json.as_ref()?.as_object()?;
    if answer.content_type() == "application/problem+json" {
        let names = ["type", "title", "status", "detail", "code", "field"];
        return has_only(body, &names).then_some("problem_details");
    }
    match body.get("error") {
        Some(Value::Object(error)) if body.len() == 1 && is_error(error) => Some("nested"),
        None if is_error(body) => Some("flat"),
        None if has_only(body, &["detail"]) && body["detail"].is_string() => Some("detail"),
        _ => None,
    }
}

fn is_error(object: &Map<String, Value>) -> bool {
    let is_text = |name: &str| object.get(name).is_some_and(Value::is_string);
    is_text("code") && is_text("message") && has_only(object, &["code", "message", "field"])
}

fn has_only(object: &Map<String, Value>, names: &[&str]) -> bool {
    object.keys().all(|name| names.contains(&name.as_str()))
}
