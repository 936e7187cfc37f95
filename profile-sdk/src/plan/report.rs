//! The result of carrying out a plan.

use std::fmt;

use serde::Serialize;

use super::Step;
use crate::error::Error;

/// The steps of a plan by their result. `Display` prints a line for each step, for example
/// `created link "Blog" ("https://blog.example")`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ApplyReport {
    /// The steps whose result the profile has, in their order.
    pub done: Vec<Step>,
    /// The step that may have been applied, and may still be, although it failed.
    pub unknown: Option<Box<Step>>,
    /// The steps that were not applied.
    pub not_done: Vec<Step>,
}

impl fmt::Display for ApplyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.done {
            writeln!(f, "{}", step.in_past_tense())?;
        }
        if let Some(step) = &self.unknown {
            writeln!(f, "unknown: {step}")?;
        }
        let mut not_done = self.not_done.iter();
        not_done.try_for_each(|step| writeln!(f, "not done: {step}"))
    }
}

/// The error of [`Client::apply`](crate::Client::apply), with a report on what was done before.
///
/// `Display` prints the reason and what to do on one line, so `source()` returns `None`.
#[derive(Debug)]
#[non_exhaustive]
pub struct ApplyError {
    /// The reason.
    pub reason: ApplyErrorReason,
    /// The steps by their result.
    pub report: ApplyReport,
}

/// The reason of an [`ApplyError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyErrorReason {
    /// The service does not list the links of the profile, so they cannot be compared. Nothing was
    /// sent.
    #[error(
        "the service does not list the links of the profile, so they cannot be compared; nothing \
         was sent; leave the links out, or edit them one by one"
    )]
    LinksNotListed,
    /// The profile is neither as before nor as after one of the steps. Nothing was sent.
    #[error(
        "the profile has changed since the plan was made; nothing was sent; read the profile and \
         plan again"
    )]
    Outdated,
    /// A call failed.
    #[error(transparent)]
    Call(Error),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        let ApplyErrorReason::Call(_) = self.reason else {
            return Ok(());
        };
        if let Some(step) = &self.report.unknown {
            write!(
                f,
                "; the result of this step is unknown: {step}; \
                 wait and look at the profile before you plan again"
            )?;
        }
        let (done, open) = (self.report.done.len(), self.report.not_done.len());
        let count = done + open + usize::from(self.report.unknown.is_some());
        let verb = if done == 1 { "is" } else { "are" };
        write!(f, "; {done} of {count} steps {verb} done")
    }
}

impl std::error::Error for ApplyError {}
