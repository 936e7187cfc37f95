//! The responses of the service by the step that asked for them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answer::Answer;

/// A request whose response is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Me,
    Analytics,
    OwnStatistics(Days),
    OtherStatistics(Days),
    UnknownHandle,
    WithoutKey,
    WrongKey,
    Badges,
    BadgesWithoutKey,
    Site,
    SiteWithoutKey,
    UnknownPath,
    WrongMethod,
    UnknownProfileField,
    /// `GET /me` after the edit of the profile that should have been rejected.
    MeAfterwards,
}

/// The value of `days`; `None` for a request without it.
pub(super) type Days = Option<u16>;

/// Everything that was observed.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    answers: BTreeMap<Step, Result<Answer, String>>,
    /// The first response with 429, to any request.
    pub(super) rate_limited: Option<Answer>,
}

impl Observations {
    pub(super) fn add(&mut self, step: Step, answer: Result<Answer, String>) {
        self.answers.insert(step, answer);
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

    /// Returns the response to `GET /me` and the value of a field of it.
    pub(super) fn me(&self, field: &str) -> Result<(&Answer, &Value), String> {
        let answer = self.answer(Step::Me)?;
        let value = answer.object()?.get(field);
        Ok((
            answer,
            value.ok_or_else(|| format!("GET /me has no {field}"))?,
        ))
    }

    /// Returns the response to `GET /me` and its key object.
    pub(super) fn key(&self) -> Result<(&Answer, &Map<String, Value>), String> {
        let (answer, key) = self.me("key")?;
        let key = key
            .as_object()
            .ok_or("the key in GET /me is not an object")?;
        Ok((answer, key))
    }

    /// Returns the scopes of the key, which may be an array or a string.
    pub(super) fn scopes(&self) -> Result<Vec<&str>, String> {
        match self.key()?.1.get("scopes") {
            Some(Value::Array(scopes)) => Ok(scopes.iter().filter_map(Value::as_str).collect()),
            Some(Value::String(text)) => Ok(text
                .split([' ', ','])
                .filter(|scope| !scope.is_empty())
                .collect()),
            _ => Err("GET /me does not list the scopes of the key".to_owned()),
        }
    }

    /// Returns an error if the key lacks a scope.
    pub(super) fn require_scope(&self, scope: &str) -> Result<(), String> {
        match self.scopes()?.contains(&scope) {
            true => Ok(()),
            false => Err(format!("the key lacks the scope {scope}")),
        }
    }
}
