//! The responses of the service by the step that asked for them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::delivery::Delivery;
use super::limits::{is_color, is_within_limits};

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
    Location,
    LocationNull,
    LocationNumber,
    LocationRepeated,
    Location40,
    Location41,
    /// 40 characters of two bytes each.
    LocationTwoBytes,
    /// 40 characters of two UTF-16 code units each.
    LocationTwoUnits,
    /// 80 characters that are displayed as 40.
    LocationCombined,
    Bio300,
    Bio301,
    BioTenLines,
    BioElevenLines,
    BioTenLinesCrLf,
    BioElevenLinesCr,
    BioTrailingBreak,
    ColorShort,
    ColorUpperCase,
    /// `GET /me` after the edits of the profile.
    MeEdited,
    NotJson,
    NotAnObject,
    WrongContentType,
    CreateLinkWithoutUrl,
    CreateLink,
    EditLink,
    EditLinkUnknownField,
    EditLinkRelativeUrl,
    EditLinkEmpty,
    /// `GET /me` while it lists the created link.
    MeWithLink,
    DeleteLink,
    DeleteLinkAgain,
    CreatePost,
    DeletePost,
    DeletePostAgain,
}

/// The value of `days`; `None` for a request without it.
pub(super) type Days = Option<u16>;

/// Everything that was observed.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    answers: BTreeMap<Step, Result<Answer, String>>,
    /// The first response with 429, to any request.
    pub(super) rate_limited: Option<Answer>,
    /// The field of the edit that should have been rejected.
    pub(super) unknown_field: String,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Observations {
    pub(super) fn add(&mut self, step: Step, answer: Result<Answer, String>) {
        self.answers.insert(step, answer);
    }

    /// Records the reason why requests are not sent.
    pub(super) fn skip(&mut self, steps: impl IntoIterator<Item = Step>, reason: &str) {
        for step in steps {
            self.add(step, Err(reason.to_owned()));
        }
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
            Some(Value::String(text)) => {
                let scopes = text.split(|c: char| !c.is_alphanumeric() && !":_-.".contains(c));
                Ok(scopes.filter(|scope| !scope.is_empty()).collect())
            }
            _ => Err("GET /me does not list the scopes of the key".to_owned()),
        }
    }

    /// Returns an error if the key is known to lack a scope.
    pub(super) fn require_scope(&self, scope: &str) -> Result<(), String> {
        match self.scopes() {
            Ok(scopes) if !scopes.contains(&scope) => {
                Err(format!("the key lacks the scope {scope}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns `true` if `GET /me` has a list of links or posts.
    pub(super) fn lists_resources(&self) -> bool {
        ["links", "posts"]
            .iter()
            .any(|name| self.me(name).is_ok_and(|(_, list)| list.is_array()))
    }

    /// Returns the fields of the profile that can be edited and set back.
    pub(super) fn restorable_fields(&self) -> Map<String, Value> {
        let is_restorable = |(name, value): &(&str, Value)| match (*name, value.as_str()) {
            ("accent_color", Some(color)) => !color.is_empty() && is_color(value),
            (name, Some(_)) => is_within_limits(name, value),
            _ => false,
        };
        let fields = ["location", "bio", "accent_color"];
        let fields = fields
            .into_iter()
            .filter_map(|name| Some((name, self.me(name).ok()?.1.clone())));
        let fields = fields.filter(is_restorable);
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}
