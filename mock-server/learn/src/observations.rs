//! The responses of the service by the step that asked for them.

use std::collections::BTreeMap;

use super::answer::Answer;
use super::changes::Changes;
use super::delivery::Delivery;
use super::names::{Known, Names};
use super::resource::Kind;
use super::service::Service;
use super::steps::Step;

/// Everything that was observed.
#[derive(Debug)]
pub(crate) struct Observations {
    answers: BTreeMap<Step, Known<Answer>>,
    pub(super) names: Names,
    /// The handle of another profile.
    pub(super) other: Option<String>,
    /// The creations that the service accepted, but did not store as they were sent, with the reasons.
    pub(super) not_stored: Vec<(Step, &'static str)>,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Observations {
    /// Starts with the response to the first request.
    pub(super) fn new(me: Answer, other: Option<&str>) -> Self {
        Self {
            names: Names::new(&me, other),
            answers: [(Step::Me, Ok(me))].into(),
            other: other.map(str::to_owned),
            not_stored: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, step: Step, answer: Known<Answer>) {
        self.answers.insert(step, answer);
    }

    /// Adds the first response with 429, to any request.
    pub(super) fn add_rate_limited(&mut self, service: &Service) {
        if let Some(answer) = service.rate_limited.clone() {
            self.add(Step::RateLimited, Ok(answer));
        }
    }

    /// Returns the response, or the reason why there is none.
    pub(super) fn answer(&self, step: Step) -> Known<&Answer> {
        match self.answers.get(&step) {
            Some(answer) => answer.as_ref().map_err(Clone::clone),
            None if step == Step::RateLimited => Err("needs a 429".to_owned()),
            None => Err("needs --allow-writes".to_owned()),
        }
    }

    /// Returns the first response to `GET /me`.
    pub(super) fn me(&self) -> Known<&Answer> {
        self.answer(Step::Me)
    }

    /// Compares the profile before and after the reads.
    ///
    /// # Errors
    ///
    /// Returns the reason if the last `GET /me` failed.
    pub(crate) fn changes(&self) -> Known<Changes> {
        Changes::new(self, self.answer(Step::MeAfterwards)?)
    }

    /// Returns `true` if `GET /me` lists resources of this kind.
    pub(super) fn lists(&self, kind: Kind) -> bool {
        self.me().is_ok_and(|me| kind.listed(me).is_some())
    }

    /// Returns the requests that were sent, or could not be sent.
    pub(super) fn asked(&self) -> Vec<Step> {
        self.answers.keys().copied().collect()
    }

    /// Returns all responses.
    pub(super) fn answers(&self) -> impl Iterator<Item = (Step, &Answer)> {
        let answers = self.answers.iter();
        answers.filter_map(|(step, answer)| Some((*step, answer.as_ref().ok()?)))
    }
}
