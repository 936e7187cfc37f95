//! Carries out a plan, and reports the result.

use std::fmt;
use std::future::ready;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{DesiredProfile, Plan, PlanOptions, Step, Warning};
use crate::call::Call;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::resources::Profile;
use crate::values::Scope;

/// The result of carrying out a plan.
type ApplyResult = Result<ApplyReport, ApplyError>;

impl Client {
    /// Makes the profile as desired: reads it, compares, and carries out the plan, as
    /// [`apply`](Self::apply) does. Returns a report on the steps.
    ///
    /// The [service](PlanOptions::service) of the options is the base URL of this client. After an
    /// error, a further run does what is left: at once if the error
    /// [is retryable](ApplyError::is_retryable), and after a wait for a late write if a step is
    /// [unknown](ApplyReport::unknown). This is only right if the service lists a new link at once, with its URL or
    /// a unique title: otherwise, the link would be created again.
    ///
    /// Some services change texts when they store them. The [report](ApplyReport::warnings) has a warning
    /// for each text that a response shows in another form. A link that is still [similar](Plan::new) is
    /// edited by each run, and not created again. One whose title and URL both differ in more, for
    /// example because the service stores them in lower case or cut, is created again by each run.
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
    /// use std::time::Duration;
    ///
    /// use profile_sdk::plan::{DesiredProfile, PlanOptions};
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let mut desired = DesiredProfile::default();
    /// desired.profile.location = Some("Paris".parse()?);
    /// let report = loop {
    ///     match client.sync(&desired, PlanOptions::new()).await {
    ///         Ok(report) => break report,
    ///         Err(error) if error.is_retryable() => {
    ///             let wait = error.retry_after().unwrap_or(Duration::from_secs(60));
    ///             tokio::time::sleep(wait).await;
    ///         }
    ///         Err(error) => return Err(error.into()),
    ///     }
    /// };
    /// assert_eq!(report.done.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sync(&self, desired: &DesiredProfile, options: PlanOptions) -> ApplyResult {
        let _guard = self.unless_ended(self.shared.applying.lock()).await?;
        let profile = self.me().await?;
        let plan = Plan::new(&profile, desired, options.service(self.base_url()));
        self.carry_out(&plan, ready(Ok(profile)), None).await
    }

    /// Carries out a plan, step by step. Returns a report on the steps.
    ///
    /// Reads the profile first, and does not send a step whose result the profile already has, so
    /// that the same plan can be applied again. If the response to a step is lost, reads the
    /// profile again. If that does not show the result, the step is
    /// [unknown](ApplyReport::unknown), since it may be applied late and reads may lag; nothing
    /// further is sent. A creation is never sent twice; the client's retries may repeat edits and
    /// deletions.
    ///
    /// A client and its clones apply one plan at a time, also in [`sync`](Self::sync); one that nobody polls keeps the
    /// others waiting, so spawn both or poll them to their end. Other clients and processes do not wait: if two
    /// of them apply plans for one account at once, both may create the same links.
    ///
    /// An empty plan sends nothing. [`Plan::required_scopes`] lists the required scopes. To end it with a report,
    /// use [`until`](Self::until). If the future is dropped, the step that is being sent is unknown, and no later
    /// one is sent.
    ///
    /// # Errors
    ///
    /// Returns an error with a report on what was done if the service does not list the links, if
    /// the profile has changed since the plan was made or is that of another account, if the key certainly
    /// [lacks](crate::Scopes::lacks) a required scope, and at the first call that fails.
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
    pub fn apply<'a>(&'a self, plan: &'a Plan) -> Apply<'a> {
        Apply {
            client: self,
            plan,
            on_step: None,
            running: None,
        }
    }

    async fn carry_out(
        &self,
        plan: &Plan,
        reading: impl IntoFuture<Output = Result<Profile, Error>>,
        on_step: Option<OnStep<'_>>,
    ) -> ApplyResult {
        let mut on_step = on_step.unwrap_or_else(|| Box::new(|_, _| {}));
        let mut report = ApplyReport::of(plan);
        if plan.is_empty() {
            return Ok(report);
        }
        let profile = match profile_before(plan, reading, self.base_url()).await {
            Ok(profile) => profile,
            Err(reason) => return Err(ApplyError::new(reason, report)),
        };
        for step in plan.steps() {
            report.unknown = Some(report.not_done.remove(0));
            let sent = match step.is_done(&profile) {
                true => Ok(Vec::new()),
                false => {
                    on_step(step, StepState::Begun);
                    self.send_step(step, &profile, &report.done).await
                }
            };
            let state = match &sent {
                Ok(_) => StepState::Done,
                Err(error) if error.may_have_been_applied() => StepState::Unknown,
                Err(_) => StepState::NotDone,
            };
            report.decide(state);
            on_step(step, state);
            match sent {
                Ok(altered) => report.warnings.extend(altered),
                Err(error) => {
                    return Err(ApplyError::new(ApplyErrorReason::Call(error), report));
                }
            }
        }
        Ok(report)
    }

    /// Sends a step. If it may have been applied although the call failed, or its link no longer
    /// exists, or the response is an HTML page, succeeds if the profile shows the result. Returns the texts
    /// that the service changed.
    async fn send_step(
        &self,
        step: &Step,
        before: &Profile,
        done: &[Step],
    ) -> Result<Vec<Warning>, Error> {
        let request = step.request();
        let operation = request.operation().clone();
        let error = match Call::delete(self, request).send().await {
            Ok(response) if response.is_page() => {
                let reason = "the response is an HTML page, so it is probably not from the service";
                Error::new(ErrorKind::Unreadable, reason).with_operation(&operation)
            }
            Ok(response) => return Ok(step.altered(response.raw_data().unwrap_or_default())),
            Err(error) => error,
        };
        let may_be_applied = error.may_have_been_applied();
        if (may_be_applied || error.kind() == ErrorKind::NotFound)
            && let Ok(profile) = self.me().await
        {
            if step.is_done(&profile) {
                return Ok(Vec::new());
            }
            let created = step.created(&profile, before, done);
            if let Some(link) = created.filter(|_| may_be_applied) {
                return Ok(step.altered(&json!(link).to_string()));
            }
        }
        Err(error)
    }
}

#[cfg(feature = "blocking")]
impl crate::blocking::Client {
    /// Makes the profile as desired, as [`Client::sync`](crate::Client::sync) does, and waits for the
    /// result.
    ///
    /// # Errors
    ///
    /// See [`Client::sync`](crate::Client::sync).
    ///
    /// # Panics
    ///
    /// Panics in an async runtime.
    pub fn sync(&self, desired: &DesiredProfile, options: PlanOptions) -> ApplyResult {
        self.wait(self.as_async().sync(desired, options))
    }

    /// Carries out a plan, as [`Client::apply`](crate::Client::apply) does, and waits for its
    /// result.
    ///
    /// # Errors
    ///
    /// See [`Client::apply`](crate::Client::apply).
    ///
    /// # Panics
    ///
    /// Panics in an async runtime.
    pub fn apply(&self, plan: &Plan) -> ApplyResult {
        self.wait(self.as_async().apply(plan))
    }
}

/// A plan that is carried out when it is awaited; created by [`Client::apply`].
///
/// # Panics
///
/// Panics if it is polled after it completed.
#[must_use = "a plan is carried out when it is awaited"]
pub struct Apply<'a> {
    client: &'a Client,
    plan: &'a Plan,
    on_step: Option<OnStep<'a>>,
    running: Option<Pin<Box<dyn Future<Output = ApplyResult> + Send + 'a>>>,
}

type OnStep<'a> = Box<dyn FnMut(&Step, StepState) + Send + 'a>;

impl<'a> Apply<'a> {
    /// Sets a function that receives each step when it begins and when it is decided, for example to show progress
    /// or to log it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::plan::StepState;
    ///
    /// # use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// # let plan = Plan::new(&client.me().await?, &DesiredProfile::default(), PlanOptions::new());
    /// let applying = client.apply(&plan).on_step(|step, state| match state {
    ///     StepState::Done => println!("done: {step}"),
    ///     state => println!("{state:?}: {step}"),
    /// });
    /// let report = applying.await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_step(mut self, on_step: impl FnMut(&Step, StepState) + Send + 'a) -> Self {
        self.on_step = Some(Box::new(on_step));
        self
    }
}

impl Future for Apply<'_> {
    type Output = ApplyResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ApplyResult> {
        let (client, plan) = (self.client, self.plan);
        let on_step = self.on_step.take();
        let running = self.running.get_or_insert_with(|| {
            Box::pin(async move {
                let lock = client.shared.applying.lock();
                match client.unless_ended(lock).await {
                    Ok(_guard) => client.carry_out(plan, client.me(), on_step).await,
                    Err(error) => {
                        let reason = ApplyErrorReason::Call(error);
                        Err(ApplyError::new(reason, ApplyReport::of(plan)))
                    }
                }
            })
        });
        running.as_mut().poll(context)
    }
}

impl fmt::Debug for Apply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apply")
            .field("plan", self.plan)
            .finish_non_exhaustive()
    }
}

/// The state of a step while a plan is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepState {
    /// It is sent. Until it is decided, it may have been applied.
    Begun,
    /// It was applied, or the profile already had its result.
    Done,
    /// It failed with an unknown outcome: it may have been applied, or be applied later.
    Unknown,
    /// It failed, and was not applied.
    NotDone,
}

/// Reads the profile, and checks that the steps still fit and that the key may have their scopes.
async fn profile_before(
    plan: &Plan,
    reading: impl IntoFuture<Output = Result<Profile, Error>>,
    service: &str,
) -> Result<Profile, ApplyErrorReason> {
    let profile = reading.await.map_err(ApplyErrorReason::Call)?;
    if let Some([plan, profile]) = plan.other_account(&profile, service) {
        return Err(ApplyErrorReason::OtherAccount { plan, profile });
    }
    let lacks_links = profile.links.is_none() && plan.steps().iter().any(Step::is_about_links);
    if lacks_links || plan.lacks_links() {
        return Err(ApplyErrorReason::LinksNotListed);
    }
    if plan.is_outdated(&profile) {
        return Err(ApplyErrorReason::Outdated);
    }
    let scopes = profile.key.as_ref().and_then(|key| key.scopes.as_ref());
    let lacks = |scope: &Scope| scopes.is_some_and(|scopes| scopes.lacks(scope));
    match plan.required_scopes().into_iter().find(lacks) {
        Some(scope) => Err(ApplyErrorReason::MissingScope(scope)),
        None => Ok(profile),
    }
}

/// The steps of a plan by their result. `Display` prints a line for each step, for example
/// `created link "Blog" ("https://a.example")`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApplyReport {
    /// The steps that were applied, or whose result the profile already had, in their order.
    pub done: Vec<Step>,
    /// The step that failed with an unknown outcome: it may have been applied, or be applied later.
    pub unknown: Option<Step>,
    /// The steps that were not applied.
    pub not_done: Vec<Step>,
    /// The [warnings](Plan::warnings) of the plan, and the texts that the service altered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl ApplyReport {
    /// Creates the report of a plan before its first step.
    fn of(plan: &Plan) -> Self {
        Self {
            not_done: plan.steps().to_vec(),
            warnings: plan.warnings().to_vec(),
            ..Self::default()
        }
    }

    /// Moves the step that is being sent, which is unknown until then.
    fn decide(&mut self, state: StepState) {
        match state {
            StepState::Done => self.done.extend(self.unknown.take()),
            StepState::NotDone => drop(self.not_done.splice(0..0, self.unknown.take())),
            StepState::Begun | StepState::Unknown => {}
        }
    }
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

/// The error of [`Client::apply`] and [`Client::sync`], with a report on what was done before.
///
/// `Display` prints the reason and what to do on one line, so `source()` returns `None`. `?` turns the
/// error of a call into this one, with an empty report:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use profile_sdk::plan::ApplyError;
/// use profile_sdk::testing::ErrorBuilder;
/// use profile_sdk::{ErrorKind, Operation};
///
/// let unclear = ErrorBuilder::new(ErrorKind::Timeout).operation(Operation::CREATE_LINK);
/// let error = ApplyError::from(unclear.build());
/// assert!(!error.is_retryable());
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ApplyError {
    /// The reason.
    pub reason: ApplyErrorReason,
    /// The steps by their result.
    pub report: Box<ApplyReport>,
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
    /// The profile matches neither the state before nor the state after one of the steps; or links are
    /// left to create, and it has links that the plan does not expect. The service may have changed one
    /// of these after it was created. Nothing was sent.
    #[error(
        "the profile has changed since the plan was made; nothing was sent; read the profile and \
         plan again"
    )]
    Outdated,
    /// The plan was made for another account. Nothing was sent.
    #[error(
        "the plan is for {plan}, and this is {profile}; nothing was sent; plan again for this account"
    )]
    #[non_exhaustive]
    OtherAccount {
        /// The handle or the service of the plan.
        plan: Box<str>,
        /// The handle or the service of the profile.
        profile: Box<str>,
    },
    /// The key lacks a scope. Nothing was sent.
    #[error("the key lacks the scope {0}; nothing was sent; use a key with this scope")]
    MissingScope(Scope),
    /// A call failed.
    #[error(transparent)]
    Call(Error),
}

impl ApplyError {
    fn new(reason: ApplyErrorReason, report: ApplyReport) -> Self {
        let report = Box::new(report);
        Self { reason, report }
    }

    /// Returns `true` if [`Client::sync`], or the same plan, may succeed later and can be repeated
    /// without a look at the profile. Wait for [`retry_after`](Self::retry_after) first, if it is
    /// known. If a step is [unknown](ApplyReport::unknown), it may be applied late, so this returns
    /// `false`.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.report.unknown.is_none() && self.call().is_some_and(Error::is_retryable)
    }

    /// Returns the [wait](Error::retry_after) before the next run, if a call failed and it is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.call()?.retry_after()
    }

    /// Returns the error of the call that failed, if there is one.
    fn call(&self) -> Option<&Error> {
        let ApplyErrorReason::Call(error) = &self.reason else {
            return None;
        };
        Some(error)
    }
}

impl From<Error> for ApplyError {
    /// Creates an error with an empty report, which tests can set.
    fn from(error: Error) -> Self {
        Self::new(ApplyErrorReason::Call(error), ApplyReport::default())
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        let (done, open) = (self.report.done.len(), self.report.not_done.len());
        let count = done + open + usize::from(self.report.unknown.is_some());
        if self.call().is_none() || count == 0 {
            return Ok(());
        }
        if let Some(step) = &self.report.unknown {
            write!(
                f,
                "; the result of this step is unknown: {step}; \
                 wait and look at the profile before you plan again"
            )?;
        }
        let verb = if done == 1 { "is" } else { "are" };
        write!(f, "; {done} of {count} steps {verb} done")
    }
}

impl std::error::Error for ApplyError {}
