//! The bodies, statuses, codes and messages of rejections.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::learner::{Finding, Found, Learner};
use crate::requests::Step;
use crate::response::{Answer, HIDDEN};
use crate::service::MIN_UNIX_TIME;
use crate::views;

/// A request that both the service and the mock reject.
struct Rejection<'a> {
    step: Step,
    /// The code of the mock in its default dialect.
    code: &'a str,
    answer: &'a Answer,
}

/// Returns the requests that the service and the mock reject. The one with an unknown field is first.
fn rejections<'a>(learner: &'a Learner<'_>) -> Result<Vec<Rejection<'a>>, String> {
    let received = learner.all.received();
    let rejected = received.filter(|(_, answer)| answer.is_rejection());
    let rejections = rejected.filter_map(|(step, answer)| {
        let (code, _) = learner.rejection(step)?;
        Some(Rejection { step, code, answer })
    });
    let mut rejections: Vec<_> = rejections.collect();
    rejections.sort_by_key(|one| one.step != Step::UnknownField);
    let found = Some(rejections).filter(|all| !all.is_empty());
    found.ok_or_else(|| "no request was rejected".to_owned())
}

pub(crate) fn error_body(learner: &Learner<'_>) -> Found {
    // The pages that repeat a value of a request differ in each run.
    let mut rejections = rejections(learner)?;
    rejections.retain(|Rejection { answer, .. }| {
        answer.json.is_some() || !learner.all.values.occur_in(&answer.text)
    });
    let are_coded = rejections.iter().all(|one| coded(one.answer).is_some());
    let steps: Vec<_> = rejections.iter().map(|one| one.step).collect();
    match learner.compare("error_body", &steps, views::error_body, "") {
        found if !are_coded && !matches!(found, Ok(Finding::Outside { .. })) => found,
        _ => Err("another body; see error_template".to_owned()),
    }
}

/// Returns a template of bodies that `error_body` does not have.
pub(crate) fn template(learner: &Learner<'_>) -> Found {
    let rejections = rejections(learner)?;
    let base = rejections[0].answer;
    let sample = base.sample(base.body());
    if let Ok(Finding::Learned { value, .. }) = error_body(learner) {
        return match value.as_str() {
            Some("plain_text") => Err("a text is learned as a message".to_owned()),
            _ => Ok(Finding::AsTheMock { sample }),
        };
    }
    let body = match &base.json {
        Some(base @ (Value::Object(_) | Value::Array(_))) => {
            let template = Template {
                learner,
                rejections,
                base,
            };
            template.body()
        }
        None if rejections.iter().all(|one| coded(one.answer).is_some()) => {
            json!("{status} {code}: {message}")
        }
        // A text is the message as a whole.
        _ => json!("{message}"),
    };
    let mut value = json!({ "body": body });
    if base.content_type() != "application/json" || body.is_string() {
        value["content_type"] = json!(base.header("content-type").unwrap_or_default());
    }
    Ok(Finding::Learned { value, sample })
}

/// The bodies of rejections, as far as they are JSON objects or arrays.
struct Template<'a> {
    learner: &'a Learner<'a>,
    rejections: Vec<Rejection<'a>>,
    base: &'a Value,
}

impl<'a> Template<'a> {
    /// Returns the body with placeholders for the values that differ between rejections.
    fn body(&self) -> Value {
        let mut body = self.base.clone();
        let leaves = leaves(self.base);
        let codes = leaves.keys().filter(|pointer| self.is_code(pointer));
        let code = codes.min_by_key(|pointer| !pointer.ends_with("code"));
        for pointer in leaves.keys() {
            let name = self.placeholder(pointer, code);
            if let Some((name, place)) = name.zip(body.pointer_mut(pointer)) {
                *place = json!(name);
            }
        }
        body
    }

    /// `code` is the pointer to the code.
    fn placeholder(&self, pointer: &str, code: Option<&String>) -> Option<String> {
        let field = &self.learner.all.values.field;
        if self.is_status(pointer) {
            return Some("{status}".to_owned());
        }
        match (self.base.pointer(pointer)?, code) {
            // The field may be a part of a path, such as `/{field}`, but not of a sentence.
            (Value::String(text), _) if text.contains(field) && is_word(text) => {
                Some(text.replace(field, "{field}"))
            }
            (Value::Number(_), Some(code)) if code == pointer => Some("{number}".to_owned()),
            (Value::String(text), Some(code)) if self.contains_code(pointer, code) => {
                let found = self.base.pointer(code)?.as_str()?;
                Some(text.replace(found, "{code}"))
            }
            (Value::String(_), _) if self.varies(pointer) && !self.is_copy(pointer) => {
                Some("{message}".to_owned())
            }
            _ => None,
        }
    }

    /// Returns `true` for a word or number that differs between kinds of rejections.
    fn is_code(&self, pointer: &str) -> bool {
        let field = &self.learner.all.values.field;
        let text = self.base.pointer(pointer).and_then(Value::as_str);
        let names_field = text.is_some_and(|text| text.contains(field));
        let mut values = self.values(pointer);
        !names_field
            && self.varies(pointer)
            && !self.is_copy(pointer)
            && !self.is_status(pointer)
            && values.all(|(_, value)| match value {
                Value::String(text) => is_word(text),
                value => value.as_u64().is_some_and(|number| number < MIN_UNIX_TIME),
            })
    }

    /// Returns `true` if the values at a pointer are the statuses of the rejections.
    fn is_status(&self, pointer: &str) -> bool {
        let mut values = self.values(pointer);
        values.all(|(one, value)| *value == one.answer.status)
    }

    /// Returns the values at a pointer in all bodies that have it.
    fn values(&self, pointer: &str) -> impl Iterator<Item = (&Rejection<'a>, &'a Value)> {
        self.rejections.iter().filter_map(move |one| {
            let value = one.answer.json.as_ref()?.pointer(pointer)?;
            Some((one, value))
        })
    }

    fn varies(&self, pointer: &str) -> bool {
        let base = self.base.pointer(pointer);
        self.values(pointer).any(|(_, value)| Some(value) != base)
    }

    /// Returns `true` for a value that differs between equal requests, or that is a time or a path.
    fn is_copy(&self, pointer: &str) -> bool {
        let repeated = [Step::UnknownHandle, Step::UnknownHandleAgain].map(|step| {
            let answer = self.learner.all.answer(step).ok()?;
            answer.json.as_ref()?.pointer(pointer)
        });
        repeated[0] != repeated[1]
            || self.values(pointer).any(|(_, value)| {
                let text = value.as_str().unwrap_or_default();
                text.starts_with("/api/") || text.parse::<jiff::Timestamp>().is_ok()
            })
    }

    /// Returns `true` if all bodies with a text at this pointer repeat the code in it.
    fn contains_code(&self, pointer: &str, code: &str) -> bool {
        self.values(pointer).all(|(one, value)| {
            let code = one.answer.json.as_ref().and_then(|body| body.pointer(code));
            let code = code.and_then(Value::as_str).unwrap_or("\0");
            value.as_str().is_some_and(|text| text.contains(code))
        })
    }
}

/// Returns the code and the message of a text such as `404 unknown_path: no endpoint has the path`, as JSON.
fn coded(answer: &Answer) -> Option<Value> {
    let text = answer.text.strip_prefix(&format!("{} ", answer.status))?;
    let (code, message) = text.split_once(": ")?;
    is_word(code).then(|| json!({"code": code, "message": message}))
}

fn is_word(text: &str) -> bool {
    !text.contains(' ')
}

/// Returns the statuses, codes and messages that differ from those of the mock.
pub(crate) fn overrides(learner: &Learner<'_>) -> Found {
    let rejections = rejections(learner)?;
    let steps: Vec<_> = rejections.iter().map(|one| one.step).collect();
    let mock = learner.answers(&steps);
    let Rejection { step, answer, .. } = &rejections[0];
    let (code, message) = learner.rejection(*step).unwrap_or_default();
    let pointer = |value: &str| {
        let body = coded(&mock[step]).unwrap_or_else(|| mock[step].body());
        let mut leaves = leaves(&body).into_iter();
        Some(leaves.find(|(_, leaf)| **leaf == value)?.0)
    };
    let pointers = [("code", pointer(code)), ("message", pointer(message))];
    let (mut found, mut seen, mut first) = (json!({}), BTreeSet::new(), None);
    for Rejection { step, code, answer } in rejections.iter().filter(|one| seen.insert(one.code)) {
        let mut different = json!({});
        if answer.status != mock[step].status {
            different["status"] = answer.status.into();
        }
        for (name, pointer) in &pointers {
            let [theirs, ours] =
                [answer, &mock[step]].map(|answer| text(answer, pointer.as_deref()));
            if let Some(theirs) = theirs.filter(|theirs| Some(theirs) != ours.as_ref())
                && !learner.all.values.occur_in(&theirs)
                && !theirs.contains(HIDDEN)
            {
                different[*name] = theirs.into();
            }
        }
        if different != json!({}) {
            first.get_or_insert(answer);
            found[*code] = different;
        }
    }
    let answer = first.unwrap_or(answer);
    Ok(Finding::values(found, answer.sample(answer.body())))
}

/// Returns a text or number in a body, or the body itself if it is not JSON.
fn text(answer: &Answer, pointer: Option<&str>) -> Option<String> {
    let body = coded(answer).unwrap_or_else(|| answer.body());
    match body.pointer(pointer?)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
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
