//! The bodies of rejections.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found, Observed};
use crate::learn::observations::Observations;
use crate::learn::requests::Step;
use crate::learn::shape::Shape::{self, Is, Only};
use crate::learn::shape::{ANY, Field, TEXT};

#[rustfmt::skip]
const PROBLEM: &[Field] = &[
    ("type", ANY), ("title", ANY), ("status", ANY), ("detail", ANY), ("code", ANY), ("field", ANY),
];

const ERROR: &[Field] = &[("code", TEXT), ("message", TEXT), ("field", ANY)];

/// The values of `error_body`, with the content type where it matters, and the shape of the body.
const BODIES: [(&str, &str, Shape); 7] = [
    ("empty", "", Is(|body| body == "")),
    ("plain_text", "text/plain", ANY),
    ("html", "text/html", ANY),
    ("problem_details", "application/problem+json", Only(PROBLEM)),
    ("nested", "", Only(&[("error", Only(ERROR))])),
    ("flat", "", Only(ERROR)),
    ("detail", "", Only(&[("detail", TEXT)])),
];

/// Returns the value of `error_body`.
fn name(answer: &Answer) -> Option<&'static str> {
    let (body, found) = (answer.body(), answer.content_type());
    let fits = |(_, expected, shape): &&(&str, &str, Shape)| {
        (expected.is_empty() || *expected == found) && shape.fits(&body)
    };
    BODIES.iter().find(fits).map(|(name, ..)| *name)
}

/// Returns a rejection that names a field, or any other one.
pub(super) fn base(all: &Observations) -> Result<&Answer, String> {
    match all.answer(Step::UnknownField) {
        Ok(answer) if answer.is_rejection() => Ok(answer),
        _ => all
            .rejections()
            .next()
            .ok_or("no request was rejected".to_owned()),
    }
}

pub(crate) fn bodies(all: &Observations) -> Observed {
    let base = base(all)?;
    match name(base) {
        None if generalize(all, base).is_some() => {
            Err("another body; see error_template".to_owned())
        }
        name => base.observe_body(name),
    }
}

/// Returns a template of bodies that `error_body` does not have.
pub(crate) fn template(all: &Observations) -> Found {
    let base = base(all)?;
    let sample = base.sample(base.body());
    if name(base).is_some() {
        return Ok(Finding::AsTheMock { sample });
    }
    let mut value =
        json!({ "body": generalize(all, base).ok_or("the bodies are not JSON objects")? });
    if base.content_type() != "application/json" {
        value["content_type"] = json!(base.content_type());
    }
    Ok(Finding::Learned { value, sample })
}

/// Observes `true` for each rejection with the same kind of body.
pub(crate) fn uniformity(all: &Observations) -> Observed {
    let base = base(all)?;
    let (expected, template) = (name(base), generalize(all, base));
    let observe = |answer: &Answer| {
        let is_same = match (expected, &template, &answer.json) {
            (None, Some(template), Some(body)) => fits(template, body),
            _ => name(answer) == expected,
        };
        (json!(is_same), answer.sample(answer.body()))
    };
    Ok(all.rejections().map(observe).collect())
}

/// Returns the JSON pointer to the code in rejections.
pub(super) fn code_pointer(all: &Observations) -> Option<String> {
    let base = base(all).ok()?;
    match name(base) {
        Some("nested") => Some("/error/code".to_owned()),
        Some("flat" | "problem_details") => Some("/code".to_owned()),
        Some(_) => None,
        None => {
            let template = generalize(all, base)?;
            let mut leaves = leaves(&template).into_iter();
            Some(leaves.find(|(_, value)| *value == "{code}")?.0)
        }
    }
}

/// Replaces the values of a JSON body that differ between rejections.
fn generalize(all: &Observations, base: &Answer) -> Option<Value> {
    let body = base.json.as_ref().filter(|body| body.is_object())?;
    let field = all.name("field");
    let mut template = body.clone();
    for (pointer, value) in leaves(body) {
        let same = all.rejections();
        let same = same.filter_map(|answer| answer.json.as_ref()?.pointer(&pointer));
        let same: Vec<_> = same.collect();
        let is_word = |one: &&Value| one.as_str().is_some_and(|text| !text.contains(' '));
        let replacement = match value {
            Value::Number(status) if *status == base.status.into() => json!("{status}"),
            // The field may be a part of a path, such as `/{field}`, but not of a sentence.
            Value::String(text) if text.contains(field) && is_word(&value) => {
                json!(text.replace(field, "{field}"))
            }
            Value::String(_) if same.iter().all(|other| *other == value) => continue,
            Value::String(_) if !same.iter().all(is_word) => json!("{message}"),
            Value::String(_) if !is_identifier(&pointer) => json!("{code}"),
            _ => continue,
        };
        *template.pointer_mut(&pointer)? = replacement;
    }
    Some(template)
}

/// Returns `true` for the last name of a pointer to a value that identifies one response.
fn is_identifier(pointer: &str) -> bool {
    let name = pointer.rsplit('/').next().map(str::to_ascii_lowercase);
    let mut parts = ["id", "trace", "time", "instance"].into_iter();
    name.is_some_and(|name| parts.any(|part| name.contains(part)))
}

/// Returns `true` if a body has the members of a template, except those that name a field, and the same
/// code in all places.
fn fits(template: &Value, body: &Value) -> bool {
    let (template, body) = (leaves(template), leaves(body));
    let is_optional = |value: &Value| value.as_str().is_some_and(|text| text.contains("{field}"));
    let mut expected = template.iter().filter(|(_, value)| !is_optional(value));
    let is_code = |pointer: &&String| {
        template
            .get(*pointer)
            .is_some_and(|value| *value == "{code}")
    };
    let mut codes = body.keys().filter(is_code).map(|pointer| body[pointer]);
    let code = codes.next();
    expected.all(|(pointer, _)| body.contains_key(pointer))
        && body.keys().all(|pointer| template.contains_key(pointer))
        && codes.all(|other| Some(other) == code)
}

/// Returns the values without members, by their JSON pointers.
fn leaves(value: &Value) -> BTreeMap<String, &Value> {
    let members = match value {
        Value::Object(fields) => {
            let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
            Vec::from_iter(fields.iter().map(|(name, value)| (escaped(name), value)))
        }
        Value::Array(all) => (0..).map(|index: u64| index.to_string()).zip(all).collect(),
        _ => Vec::new(),
    };
    if members.is_empty() {
        return [(String::new(), value)].into();
    }
    let below = members.into_iter().flat_map(|(name, value)| {
        let below = leaves(value).into_iter();
        below.map(move |(pointer, value)| (format!("/{name}{pointer}"), value))
    });
    below.collect()
}
