//! Carries out a plan, and reports the result.

use std::fmt;

use serde::Serialize;

use super::{Plan, Step};
use crate::call::Call;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::resources::Profile;

impl Client {
    /// Carries out a plan, step by step. Returns a report on the steps.
    ///
    /// Reads the profile first, and does not send a step whose result the profile already has, so
    /// that the same plan can be applied again. If the response to a step is lost, reads the
    /// profile again. If that does not show the result, the step is
    /// [unknown](ApplyReport::unknown), since it may be applied late and reads may lag; nothing
    /// further is sent. A creation is never sent twice; the client's retries may repeat edits and
    /// deletions.
    ///
    /// A client and its clones apply one plan at a time. Other clients and processes do not wait: if two
    /// of them apply plans for one account at once, both may create the same links.
    ///
    /// An empty plan sends nothing. [`Plan::required_scopes`] lists the required scopes. If the
    /// future is dropped, the step that is being sent is unknown, and no later one is sent.
    ///
    /// # Errors
    ///
    /// Returns an error with a report on what was done if the service does not list the links, if
    /// the profile has changed since the plan was made, and at the first call that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let mut desired = DesiredProfile::default();
    /// desired.profile.location = Some("Paris".parse()?);
    /// let plan = Plan::new(&client.me().await?, &desired, PlanOptions::new());
    /// match client.apply(&plan).await {
    ///     Ok(report) => println!("{} steps are done", report.done.len()),
    ///     Err(error) => println!("{error}; unknown: {:?}", error.report.unknown),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn apply(&self, plan: &Plan) -> Result<ApplyReport, ApplyError> {
        self.apply_with(plan, |_| {}).await
    }

    /// Carries out a plan, as [`apply`](Self::apply) does, and passes each step to a function when
    /// it is done, for example to show progress.
    ///
    /// # Errors
    ///
    /// See [`apply`](Self::apply).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// # let plan = Plan::new(&client.me().await?, &DesiredProfile::default(), PlanOptions::new());
    /// client.apply_with(&plan, |step| println!("done: {step}")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn apply_with(
        &self,
        plan: &Plan,
        mut on_done: impl FnMut(&Step),
    ) -> Result<ApplyReport, ApplyError> {
        let mut report = ApplyReport {
            not_done: plan.steps().to_vec(),
            ..ApplyReport::default()
        };
        if plan.is_empty() {
            return Ok(report);
        }
        let _guard = self.shared.applying.lock().await;
        let profile = match self.profile_before(plan).await {
            Ok(profile) => profile,
            Err(reason) => return Err(ApplyError { reason, report }),
        };
        for step in plan.steps() {
            let sent = match step.is_done(&profile) {
                true => Ok(()),
                false => self.send_step(step).await,
            };
            match sent {
                Ok(()) => {
                    on_done(step);
                    report.done.push(report.not_done.remove(0));
                }
                Err(error) => {
                    if error.may_have_been_applied() {
                        report.unknown = Some(Box::new(report.not_done.remove(0)));
                    }
                    let reason = ApplyErrorReason::Call(error);
                    return Err(ApplyError { reason, report });
                }
            }
        }
        Ok(report)
    }

    /// Reads the profile, and checks that the steps still fit.
    async fn profile_before(&self, plan: &Plan) -> Result<Profile, ApplyErrorReason> {
        if plan.lacks_links() {
            return Err(ApplyErrorReason::LinksNotListed);
        }
        let profile = self.me().await.map_err(ApplyErrorReason::Call)?;
        if profile.links.is_none() && plan.steps().iter().any(Step::is_about_links) {
            return Err(ApplyErrorReason::LinksNotListed);
        }
        match plan.steps().iter().any(|step| step.is_outdated(&profile)) {
            true => Err(ApplyErrorReason::Outdated),
            false => Ok(profile),
        }
    }

    /// Sends a step. If it may have been applied although the call failed, or its link no longer
    /// exists, succeeds if the profile shows the result.
    async fn send_step(&self, step: &Step) -> Result<(), Error> {
        let Err(error) = Call::delete(self, step.request()).await else {
            return Ok(());
        };
        let is_unclear = error.may_have_been_applied() || error.kind() == ErrorKind::NotFound;
        let is_done = is_unclear && self.me().await.is_ok_and(|profile| step.is_done(&profile));
        if is_done { Ok(()) } else { Err(error) }
    }
}

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
