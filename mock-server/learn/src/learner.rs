//! The search for the dialect in which the mock answers as the service does.

use std::collections::BTreeMap;

use mock_server::dialect::MeFields;
use mock_server::{Dialect, ProfileField, RateLimit, Scope, World, handle};
use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::observations::{KINDS, Observations};
use crate::requests::{Access, Request, RequestValues, Step};
use crate::response::{Answer, Sample};
use crate::views::{self, View};

/// A mock with the observed profile, and with the settings that were learned so far.
pub(crate) struct Learner<'a> {
    pub(crate) all: &'a Observations,
    /// The responses of the mock in its default dialect.
    pub(crate) baseline: Answers,
    world: World,
    key: String,
}

impl<'a> Learner<'a> {
    /// Starts with the default dialect.
    pub(crate) fn new(all: &'a Observations) -> Self {
        let me = all.me();
        let mut world = World::default();
        let own = me.at("/handle").and_then(Value::as_str).unwrap_or("demo");
        if let Some(other) = &all.other {
            world.add_account(other);
        }
        let has_scope = |scope: &Scope| views::scopes(me).contains(&scope.as_str());
        let scopes: Vec<_> = Scope::ALL.iter().copied().filter(has_scope).collect();
        let key = world.create_key(own, &scopes);
        fill(&mut world, own, me);
        let mut learner = Self {
            all,
            baseline: Answers::new(),
            world,
            key,
        };
        learner.baseline = learner.answers(Step::ALL);
        learner
    }

    /// Returns the only value of a setting with which the mock responds as the service did.
    pub(crate) fn compare(&self, setting: &str, steps: &[Step], view: View, needs: &str) -> Found {
        let observed = self.observed(steps, view);
        let first = observed.first();
        let first = first.ok_or_else(|| self.reason(steps, needs))?;
        let current = self.world.dialect();
        let misfit = self.misfit(&observed, view);
        let others = current.variations().filter(|(name, ..)| *name == setting);
        let others = others.map(|(.., dialect)| dialect);
        let others = others.filter(|one| self.fits(one, &observed, view));
        let current = misfit.is_none().then(|| current.clone());
        let mut fitting = current.into_iter().chain(others);
        let (fits, other) = (fitting.next(), fitting.next());
        let (step, shown) = misfit.filter(|_| fits.is_none()).unwrap_or(first);
        let sample = self.all.answer(*step)?.sample(shown.clone());
        match (fits, other) {
            (None, _) => Ok(Finding::Outside { sample }),
            (Some(_), Some(_)) => Err(self.reason(steps, needs)),
            (Some(_), None) if setting.is_empty() => Ok(Finding::AsTheMock { sample }),
            (Some(dialect), None) => {
                let value = json!(dialect)[setting].take();
                Ok(Finding::Learned { value, sample })
            }
        }
    }

    /// Returns what the service shows in these responses.
    fn observed(&self, steps: &[Step], view: View) -> Vec<(Step, Value)> {
        let steps = steps.iter();
        let shown = |step: &Step| Some((*step, view(self.all.answer(*step).ok()?)?));
        steps.filter_map(shown).collect()
    }

    /// Returns the first observation that the mock does not show with the settings that were learned so far.
    fn misfit<'o>(&self, observed: &'o [(Step, Value)], view: View) -> Option<&'o (Step, Value)> {
        let answers = self.answers(&steps_of(observed));
        let fits = |step, shown| answers.get(step).and_then(view).as_ref() == Some(shown);
        observed.iter().find(|(step, shown)| !fits(step, shown))
    }

    /// Returns `true` if a dialect shows all observations.
    fn fits(&self, dialect: &Dialect, observed: &[(Step, Value)], view: View) -> bool {
        let mut fitting = 0;
        self.simulate(dialect, &steps_of(observed), |step, answer| {
            let Some((_, shown)) = observed.iter().find(|(other, _)| *other == step) else {
                return true;
            };
            let fits = view(&answer).as_ref() == Some(shown);
            fitting += usize::from(fits);
            fits
        });
        fitting == observed.len()
    }

    /// Returns the code and the message if the mock rejects a request in its default dialect.
    pub(crate) fn rejection(&self, step: Step) -> Option<(&str, &str)> {
        let error = self.baseline.get(&step)?.json.as_ref()?.get("error")?;
        Some((error["code"].as_str()?, error["message"].as_str()?))
    }

    /// Returns the reason why these responses do not answer a question.
    pub(crate) fn reason(&self, steps: &[Step], needs: &str) -> String {
        let reason = |step: &Step| match self.all.answer(*step) {
            Err(reason) => Some(reason),
            Ok(answer) => match self.rejection(*step) {
                Some(("scope_missing", message)) => Some(message.to_owned()),
                Some(_) if answer.is_rejection() => None,
                None if answer.is_success() => None,
                _ => Some(answer.unexpected()),
            },
        };
        match steps.iter().find_map(reason) {
            Some(reason) => reason,
            None if needs.is_empty() => "no response shows it".to_owned(),
            None => needs.to_owned(),
        }
    }

    /// Returns the responses of the mock with the settings that were learned so far.
    pub(crate) fn answers(&self, steps: &[Step]) -> Answers {
        let mut answers = Answers::new();
        self.simulate(self.world.dialect(), steps, |step, answer| {
            answers.insert(step, answer);
            true
        });
        answers
    }

    /// Learns a setting.
    pub(crate) fn set(&mut self, setting: &str, value: &Value) -> Result<(), String> {
        let mut settings = json!(self.world.dialect());
        settings[setting] = value.clone();
        let dialect = Dialect::from_json(&settings.to_string());
        let set = dialect.map(|dialect| self.world.set_dialect(dialect));
        set.map_err(|error| error.to_string())
    }

    /// Corrects a finding outside the dialects if the mock does the same because of other settings.
    pub(crate) fn review(&self, row: &mut Row, steps: &[Step], view: View) {
        let observed = self.observed(steps, view);
        if matches!(row.finding, Finding::Outside { .. }) && self.misfit(&observed, view).is_none()
        {
            let reason = "another value; see the observed values".to_owned();
            row.finding = Finding::NotObservable { reason };
        }
    }

    /// Passes the responses under a dialect to these requests, and to all earlier writes, to a function, until it
    /// returns `false`.
    fn simulate(
        &self,
        dialect: &Dialect,
        steps: &[Step],
        mut visit: impl FnMut(Step, Answer) -> bool,
    ) {
        let mut world = self.world.clone();
        world.set_dialect(dialect.clone());
        let mut values = self.all.values.clone();
        let last = steps.iter().max();
        for step in self.all.answers.keys() {
            if Some(step) > last {
                break;
            }
            let is_wanted = steps.contains(step);
            let request = step.request(&values);
            // Later requests depend on writes.
            let answer = match &request {
                _ if *step == Step::RateLimited && is_wanted => self.rate_limited(&world),
                Ok(request) if is_wanted || request.method != Method::GET => {
                    self.answer(&mut world, request)
                }
                _ => continue,
            };
            if !visit(*step, answer) {
                break;
            }
            if request.is_ok_and(|request| request.method == Method::POST) {
                self.find_created(&world, &mut values);
            }
        }
    }

    fn answer(&self, world: &mut World, request: &Request) -> Answer {
        let path = format!("/api/v1{}", request.path);
        let mut message = mock_server::Request::new(request.method.as_str(), &path);
        message = match request.access {
            Access::Key => message.header("Authorization", format!("Bearer {}", self.key)),
            Access::WrongKey => message.header("Authorization", "Bearer wrong"),
            Access::NoKey => message,
        };
        if !request.body.is_empty() {
            message = message
                .header("Content-Type", request.content_type)
                .body(request.body.clone());
        }
        let reply = handle(world, &message);
        let headers = reply.headers.into_iter();
        let headers = headers.map(|(name, value)| (name.into_owned(), value.into_owned()));
        Answer::new(request.to_string(), reply.status, headers, &reply.body)
    }

    fn rate_limited(&self, world: &World) -> Answer {
        let mut world = world.clone();
        let limit = RateLimit {
            limit: 0,
            ..RateLimit::default()
        };
        // Without the key, the answer shows that it is unknown.
        let _ = world.set_rate_limit(&self.key, limit);
        self.answer(&mut world, &Request::get("/me"))
    }

    /// Sets the IDs of the created link and post, as they appear in paths under the dialect.
    fn find_created(&self, world: &World, values: &mut RequestValues) {
        let mut world = world.clone();
        let mut dialect = world.dialect().clone();
        dialect.me_fields = MeFields::Full;
        world.set_dialect(dialect);
        let me = self.answer(&mut world, &Request::get("/me"));
        for kind in KINDS {
            if let Some(id) = kind.marked(&me, &values.mark).pop() {
                *(kind.id)(values) = Ok(id);
            }
        }
    }
}

fn steps_of(observed: &[(Step, Value)]) -> Vec<Step> {
    observed.iter().map(|(step, _)| *step).collect()
}

/// The responses of the mock.
pub(crate) type Answers = BTreeMap<Step, Answer>;

/// Sets the profile, links and posts of an account to those in a response to `GET /me`.
fn fill(world: &mut World, own: &str, me: &Answer) {
    let account = world.add_account(own);
    account.links.clear();
    account.posts.clear();
    for kind in KINDS {
        let listed = kind.listed(me).into_iter().flatten();
        listed.for_each(|one| (kind.add)(world, own, one));
    }
    let account = world.add_account(own);
    for field in ProfileField::ALL {
        if let Some(Value::String(text)) = me.at(&format!("/{}", field.name())) {
            field.set(&mut account.profile, text);
        }
    }
    let badges = me.at("/badges").and_then(Value::as_array);
    let badges = badges.into_iter().flatten().take(1);
    account.badges = badges.map(|_| "early".to_owned()).collect();
}

/// A finding, or the reason why there is none.
pub(crate) type Found = Result<Finding, String>;

/// The conclusion about one question.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub(crate) enum Finding {
    /// The value of a setting.
    Learned { value: Value, sample: Sample },
    /// The mock, which has no setting for this, does the same.
    AsTheMock { sample: Sample },
    /// No dialect reproduces this.
    Outside { sample: Sample },
    /// No response shows it, for this reason.
    NotObservable { reason: String },
    /// A sentence of the specification is contradicted.
    Contradiction { sample: Sample },
}

impl Finding {
    /// Returns the learned values of a setting. Without any, the mock does the same as the service.
    pub(crate) fn values(value: Value, sample: Sample) -> Self {
        match value == json!({}) {
            true => Self::AsTheMock { sample },
            false => Self::Learned { value, sample },
        }
    }
}

/// The result for one question, or a difference from the specification or from the mock.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The question that the specification leaves open, the sentence that is contradicted, or the
    /// request that the mock answers otherwise.
    pub(crate) question: String,
    pub(crate) setting: Option<&'static str>,
    #[serde(flatten)]
    pub(crate) finding: Finding,
}

impl Row {
    /// Creates a row. `setting` is empty if the mock has none.
    pub(crate) fn new(
        setting: &'static str,
        question: impl Into<String>,
        finding: Finding,
    ) -> Self {
        Self {
            question: question.into(),
            setting: Some(setting).filter(|setting| !setting.is_empty()),
            finding,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.setting.unwrap_or(&self.question)
    }

    /// Returns `true` if no dialect expresses the finding.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(
            self.finding,
            Finding::Outside { .. } | Finding::Contradiction { .. }
        )
    }
}
