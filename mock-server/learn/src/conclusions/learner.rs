//! The search for the dialect in which the mock answers as the service does.

use mock_server::Dialect;
use serde_json::{Map, Value, json};

use super::questions::{QUESTIONS, Way};
use super::reference::{Answers, Reference};
use super::views::View;
use crate::finding::{Finding, Found, Row};
use crate::observations::Observations;
use crate::steps::Step;

/// The settings that were learned so far.
pub(super) struct Learner<'a> {
    pub(super) all: &'a Observations,
    reference: Reference,
    /// The responses of the mock in its default dialect.
    baseline: Answers,
    settings: Map<String, Value>,
    dialect: Dialect,
}

/// The findings about all questions, and the responses of the mock with the learned settings.
pub(super) struct Conclusions {
    pub(super) rows: Vec<Row>,
    pub(super) baseline: Answers,
    pub(super) answers: Answers,
}

/// Answers all questions.
pub(super) fn conclude(all: &Observations) -> Result<Conclusions, String> {
    let reference = Reference::new(all)?;
    let mut learner = Learner {
        baseline: reference.answers(&Dialect::default(), Step::ALL),
        all,
        reference,
        settings: Map::new(),
        dialect: Dialect::default(),
    };
    let mut rows = Vec::new();
    for (setting, question, way) in QUESTIONS {
        let found = learner.answer(setting, *way);
        let mut finding = found.unwrap_or_else(|reason| Finding::NotObservable { reason });
        if let Finding::Learned { value, sample } = &finding
            && let Err(reason) = learner.set(setting, value)
        {
            let sample = sample.with(reason);
            finding = Finding::Outside { sample };
        }
        rows.push(Row::new(setting, *question, finding));
    }
    for (row, (_, _, way)) in rows.iter_mut().zip(QUESTIONS) {
        learner.review(row, *way);
    }
    Ok(Conclusions {
        answers: learner.answers(Step::ALL),
        baseline: learner.baseline,
        rows,
    })
}

impl Learner<'_> {
    fn answer(&self, setting: &str, way: Way) -> Found {
        match way {
            Way::Compare(steps, view, needs) => self.compare(setting, steps, view, needs),
            Way::Derive(find) => find(self),
            Way::Never(reason) => Err(reason.to_owned()),
        }
    }

    /// Returns the only value of a setting with which the mock shows the same in these responses.
    pub(super) fn compare(&self, setting: &str, steps: &[Step], view: View, needs: &str) -> Found {
        let observed = self.observed(steps, view);
        let Some((step, shown)) = observed.first() else {
            return Err(self.reason(steps, needs));
        };
        let sample = self.all.answer(*step)?.sample(shown.clone());
        let mut fitting = self.candidates(setting);
        fitting.retain(|(_, dialect)| self.misfit(dialect, &observed, view).is_none());
        match &fitting[..] {
            [] => {
                let misfit = self.misfit(&self.dialect, &observed, view);
                let (step, shown) = misfit.unwrap_or(&observed[0]);
                let sample = self.all.answer(*step)?.sample(shown.clone());
                Ok(Finding::Outside { sample })
            }
            [_] if setting.is_empty() => Ok(Finding::AsTheMock { sample }),
            [(value, _)] => Ok(Finding::Learned {
                value: value.clone(),
                sample,
            }),
            _ => Err(self.reason(steps, needs)),
        }
    }

    /// Returns what the service shows in these responses.
    fn observed(&self, steps: &[Step], view: View) -> Vec<(Step, Value)> {
        let steps = steps.iter();
        let shown = |step: &Step| Some((*step, view(self.all.answer(*step).ok()?)?));
        steps.filter_map(shown).collect()
    }

    /// Returns the first observation that a dialect does not show.
    fn misfit<'o>(
        &self,
        dialect: &Dialect,
        observed: &'o [(Step, Value)],
        view: View,
    ) -> Option<&'o (Step, Value)> {
        let steps: Vec<_> = observed.iter().map(|(step, _)| *step).collect();
        let answers = self.reference.answers(dialect, &steps);
        let fits = |step, shown| answers.get(step).and_then(view).as_ref() == Some(shown);
        observed.iter().find(|(step, shown)| !fits(step, shown))
    }

    /// Returns the values of a setting with the dialects that differ from the current one only in it.
    fn candidates(&self, setting: &str) -> Vec<(Value, Dialect)> {
        let current = json!(self.dialect)[setting].take();
        let others = self.dialect.variations();
        let others = others.filter(|(name, ..)| *name == setting);
        let others = others.map(|(_, _, dialect)| (json!(dialect)[setting].take(), dialect));
        [(current, self.dialect.clone())]
            .into_iter()
            .chain(others)
            .collect()
    }

    /// Returns the reason why these responses do not answer a question.
    pub(super) fn reason(&self, steps: &[Step], needs: &str) -> String {
        let reason = |step: &Step| match self.all.answer(*step) {
            Err(reason) => Some(reason),
            Ok(answer) if answer.is_success() => None,
            Ok(answer) => match self.rejection(*step) {
                Some(("scope_missing", message)) => Some(message.to_owned()),
                Some(_) => None,
                None => Some(answer.unexpected()),
            },
        };
        match steps.iter().find_map(reason) {
            Some(reason) => reason,
            None if needs.is_empty() => "no response shows it".to_owned(),
            None => needs.to_owned(),
        }
    }

    /// Returns the code and the message if the mock rejects a request in its default dialect.
    pub(super) fn rejection(&self, step: Step) -> Option<(&str, &str)> {
        rejection(&self.baseline, step)
    }

    /// Returns the responses of the mock with the settings that were learned so far.
    pub(super) fn answers(&self, steps: &[Step]) -> Answers {
        self.reference.answers(&self.dialect, steps)
    }

    fn set(&mut self, setting: &str, value: &Value) -> Result<(), String> {
        let mut settings = self.settings.clone();
        settings.insert(setting.to_owned(), value.clone());
        let text = Value::Object(settings.clone()).to_string();
        self.dialect = Dialect::from_json(&text).map_err(|error| error.to_string())?;
        self.settings = settings;
        Ok(())
    }

    /// Corrects a finding outside the dialects if the mock does the same because of other settings.
    fn review(&self, row: &mut Row, way: Way) {
        let (Finding::Outside { .. }, Way::Compare(steps, view, _)) = (&row.finding, way) else {
            return;
        };
        let observed = self.observed(steps, view);
        if self.misfit(&self.dialect, &observed, view).is_none() {
            let reason = "another value; see the observed values".to_owned();
            row.finding = Finding::NotObservable { reason };
        }
    }
}

/// Returns the code and the message if the mock rejects a request in its default dialect.
pub(super) fn rejection(baseline: &Answers, step: Step) -> Option<(&str, &str)> {
    let error = baseline.get(&step)?.json.as_ref()?.get("error")?;
    Some((error["code"].as_str()?, error["message"].as_str()?))
}
