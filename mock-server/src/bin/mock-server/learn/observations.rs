//! The responses of the service by the step that asked for them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::{Answer, without_texts};
use super::call::Call;
use super::delivery::Delivery;
use super::finding::Observed;
use super::key::HIDDEN;
use super::random_name;
use super::requests::Step;
use super::shape::PROFILE;

/// Everything that was observed.
#[derive(Debug)]
pub(crate) struct Observations {
    answers: BTreeMap<Step, Result<Answer, String>>,
    /// The values in requests as they appear in paths, or the reasons why they are unknown.
    names: BTreeMap<&'static str, Result<String, String>>,
    /// The first response with 429, to any request.
    pub(super) rate_limited: Option<Answer>,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Observations {
    pub(super) fn new() -> Self {
        let names = ["unknown", "field", "mark"].map(|name| (name, Ok(random_name())));
        Self {
            answers: BTreeMap::new(),
            names: names.into(),
            rate_limited: None,
            deliveries: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, step: Step, answer: Result<Answer, String>) {
        self.answers.insert(step, answer);
    }

    /// Sets a value in later requests, or the reason for skipping them.
    pub(super) fn set(&mut self, name: &'static str, value: Result<String, String>) {
        self.names.insert(name, value);
    }

    /// Returns a value in requests.
    pub(super) fn name(&self, name: &str) -> &str {
        let value = self.names.get(name);
        value
            .and_then(|value| value.as_deref().ok())
            .unwrap_or_default()
    }

    /// Returns the request of a step, or the reason for skipping it.
    pub(super) fn call(&self, step: Step) -> Result<Call, String> {
        let mut call = step.call();
        for (name, value) in &self.names {
            let name = format!("{{{name}}}");
            if call.path.contains(&name) || call.body.contains(&name) {
                let value = value.as_ref().map_err(Clone::clone)?;
                call.path = call.path.replace(&name, value);
                call.body = call.body.replace(&name, value);
            }
        }
        Ok(call)
    }

    /// Returns the response, or the reason why there is none.
    pub(super) fn answer(&self, step: Step) -> Result<&Answer, String> {
        match self.answers.get(&step) {
            Some(answer) => answer.as_ref().map_err(Clone::clone),
            None => Err("needs --allow-writes".to_owned()),
        }
    }

    /// Returns all responses.
    pub(super) fn answers(&self) -> impl Iterator<Item = (Step, &Answer)> {
        let answers = self.answers.iter();
        answers.filter_map(|(step, answer)| Some((*step, answer.as_ref().ok()?)))
    }

    /// Returns all rejections.
    pub(super) fn rejections(&self) -> impl Iterator<Item = &Answer> {
        let answers = self.answers().map(|(_, answer)| answer);
        answers.filter(|answer| answer.is_rejection())
    }

    /// Returns a successful response.
    pub(super) fn success(&self, step: Step) -> Result<&Answer, String> {
        let answer = self.answer(step)?;
        match answer.is_success() {
            true => Ok(answer),
            false => Err(answer.unexpected()),
        }
    }

    /// Returns `true` if the service accepted a write, and `false` if it rejected the content.
    pub(super) fn accepts(&self, step: Step) -> Result<bool, String> {
        let answer = self.answer(step)?;
        match answer.status {
            401 | 403 | 404 | 429 => Err(answer.unexpected()),
            400..500 => Ok(false),
            _ => self.success(step).map(|_| true),
        }
    }

    /// Observes a value in the data of a response.
    pub(super) fn at(&self, step: Step, pointer: &str) -> Observed {
        self.require_scope(&step.call())?;
        let answer = self.answer(step)?;
        let value = answer.at(pointer)?.clone();
        // Texts in an object may be private, and so may a key that is not an object.
        match value.is_object() || pointer == "/key" {
            true => answer.observe(value.clone(), without_texts(&value)),
            false => answer.observe(value.clone(), value),
        }
    }

    /// Returns a value in the data of `GET /me`.
    pub(super) fn me(&self, pointer: &str) -> Result<&Value, String> {
        self.answer(Step::Me)?.at(pointer)
    }

    /// Returns the scopes of the key, which may be an array or a string.
    pub(super) fn scopes(&self) -> Result<Vec<&str>, String> {
        match self.me("/key/scopes")? {
            Value::Array(scopes) => Ok(scopes.iter().filter_map(Value::as_str).collect()),
            Value::String(text) => {
                let scopes = text.split(|c: char| !c.is_alphanumeric() && !":_-.".contains(c));
                Ok(scopes.filter(|scope| !scope.is_empty()).collect())
            }
            _ => Err("GET /me does not list the scopes of the key".to_owned()),
        }
    }

    /// Returns an error if the key is known to lack the scope of a request.
    pub(super) fn require_scope(&self, call: &Call) -> Result<(), String> {
        match (call.scope(), self.scopes()) {
            (Some(scope), Ok(scopes)) if !scopes.contains(&scope) => {
                Err(format!("the key lacks the scope {scope}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns `true` if `GET /me` has the lists of links and posts.
    pub(super) fn lists_resources(&self) -> bool {
        let mut lists = ["/links", "/posts"].into_iter();
        lists.all(|list| self.me(list).is_ok_and(Value::is_array))
    }

    /// Returns the value of a field of the profile that can be set back.
    pub(super) fn restorable(&self, field: &str) -> Option<&Value> {
        let value = self.me(&format!("/{field}")).ok()?;
        let (_, shape) = PROFILE.iter().find(|(name, _)| *name == field)?;
        // An empty color may be one that was never set.
        let is_unset = field.ends_with("color") && value == "";
        let is_whole = !value.as_str()?.contains(HIDDEN);
        (shape.fits(value) && !is_unset && is_whole).then_some(value)
    }
}
