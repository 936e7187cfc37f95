//! Sends a request until it succeeds, must not be retried, or runs out of time.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio::time::sleep;

use super::trace::{self, CallSpan};
use crate::client::{CallSettings, Client, Signal};
use crate::error::{Again, AttemptSummary, Effect, Error, ErrorKind, RawResponse};
use crate::json::Body;
use crate::pacing::{Pacing, Permit, Wait, WaitLimits, YEAR};
use crate::request::{Method, Request};
use crate::retry::wait_before_retry;
use crate::transport::{AttemptState, Outgoing};

/// The time to read the rest of the response to a write after the signal that ends the call.
const GRACE: Duration = Duration::from_millis(500);

/// A call in progress.
struct Sender<'a> {
    client: &'a Client,
    request: &'a Request,
    settings: &'a CallSettings,
    accepts_any_body: bool,
    started: Instant,
    /// The error of the last attempt, which says what became of all of them.
    last: Option<Error>,
    /// The state of the current attempt, if the call can be ended.
    state: Option<Arc<AttemptState>>,
}

/// The response of a successful call, its attempts, and its span.
pub(crate) type Exchange = (RawResponse, AttemptSummary, CallSpan);

/// Returns the response to a request if it is a 2xx. A deletion also succeeds with a 404 if an
/// earlier attempt may have deleted the resource; its JSON is read as null. For a call that accepts any
/// body, a body that could not be read completely becomes empty. Also returns the span, which lasts until the
/// body is decoded.
pub(crate) async fn send_with_retries(
    client: &Client,
    request: &Request,
    settings: &CallSettings,
    accepts_any_body: bool,
) -> Result<Exchange, Error> {
    client.check_key(request)?;
    let mut sender = Sender {
        client,
        request,
        settings,
        accepts_any_body,
        started: client.shared.pacing.now(),
        last: None,
        state: client.shared.until.as_ref().map(|_| Arc::default()),
    };
    let span = CallSpan::new(request, &client.shared.transport.base_url);
    let result = match &client.shared.until {
        None => span.instrument(sender.run()).await,
        // Boxed, to keep calls without a signal small.
        Some(signal) => Box::pin(sender.run_until(signal.clone(), &span)).await,
    };
    let elapsed = sender.pacing().now().duration_since(sender.started);
    match result {
        Ok(response) => {
            let mut summary = sender.summary();
            summary.attempts += 1;
            summary.elapsed = elapsed;
            Ok((response, summary, span))
        }
        Err(error) => {
            let error = error.with(|error| error.summary.elapsed = elapsed);
            span.record(error.status(), Some(&error));
            Err(error)
        }
    }
}

impl<'a> Sender<'a> {
    async fn run(&mut self) -> Result<RawResponse, Error> {
        loop {
            let now = match self.last {
                None => self.started,
                Some(_) => self.pacing().now(),
            };
            if now >= self.deadline() || self.settings.attempt_timeout.is_zero() {
                return Err(self.last_error_or(Error::deadline_passed));
            }
            let (permit, sent_at) = match self.admit(now).await {
                Ok(admitted) => admitted,
                Err(error) => return Err(self.last_error_or(|| error)),
            };
            let number = self.summary().tries + 1;
            let attempt = self.send_once(permit, sent_at);
            let error = match trace::in_attempt(number, attempt).await {
                Ok(response) => {
                    self.pacing().retry_budget.refill();
                    return Ok(response);
                }
                Err(error) => self.client.error_in(self.request, error),
            };
            trace::failed(number, &error);
            self.wait_after(error).await?;
        }
    }

    /// Sends the request until the signal. After it, only the rest of the response to a write is read.
    async fn run_until(
        &mut self,
        mut signal: Signal,
        span: &CallSpan,
    ) -> Result<RawResponse, Error> {
        let is_write = self.request.method().is_write();
        let state = self.state.clone().unwrap_or_default();
        let mut grace = None;
        let result = {
            let mut run = pin!(span.instrument(self.run()));
            let end = poll_fn(|context| {
                if grace.is_none() && signal.poll_unpin(context).is_ready() {
                    grace = Some(Box::pin(sleep(GRACE)));
                }
                if let Some(grace) = &mut grace {
                    let effect = match grace.poll_unpin(context) {
                        Poll::Ready(()) => Some(Effect::Unclear),
                        Poll::Pending => state.end(is_write),
                    };
                    if let Some(effect) = effect {
                        return Poll::Ready(Err(effect));
                    }
                }
                run.as_mut().poll(context).map(Ok)
            });
            end.await
        };
        result.unwrap_or_else(|effect| Err(self.canceled(effect)))
    }

    /// Waits until the next request can be sent. Returns the time then, or an error if the wait is too long.
    async fn admit(&self, now: Instant) -> Result<(Permit<'a>, Instant), Error> {
        let pacing = self.pacing();
        let limits = WaitLimits {
            deadline: self.deadline(),
            max_wait: self.settings.retry.max_wait,
        };
        if let Some(permit) = pacing.rate_limiter.try_acquire(now, limits) {
            return Ok((permit, now));
        }
        let report = |duration| self.report(duration, ErrorKind::RateLimited, None);
        let acquired = pacing
            .rate_limiter
            .acquire(&*pacing.settings.clock, limits, report);
        // Boxed, because most requests need not wait.
        Box::pin(acquired).await
    }

    async fn send_once(&self, permit: Permit<'_>, now: Instant) -> Result<RawResponse, Error> {
        let transport = &self.client.shared.transport;
        let outgoing = Outgoing {
            request: self.request,
            headers: &self.client.shared.headers,
            clock: &self.pacing().settings.clock,
            left: self.deadline().saturating_duration_since(now),
            settings: self.settings,
            avoids_pool: self.summary().has_lost,
            state: self.state.as_deref(),
        };
        let (mut response, body_error) = match transport.exchange(&outgoing).await {
            Ok(exchanged) => exchanged,
            Err(error) => return Err(self.client.redacted(error)),
        };
        let policy = &self.settings.retry;
        let retry_after = self.pacing().finish(permit, &response, policy);
        match (response.status, body_error) {
            (200..300, None) => Ok(response),
            (200..300, Some(_)) if self.accepts_any_body => {
                response.body = Body::default();
                Ok(response)
            }
            (200..300, Some(error)) => Err(self.client.redacted(error.with_response(response))),
            (404, _) if self.may_be_deleted() => {
                // The JSON of an error is not the data of the call.
                response.body.json = Some(String::new()).into();
                Ok(response)
            }
            (_, body_error) => {
                let error = Error::from_response(response).with_coding(body_error);
                let error = self.client.redacted(error);
                let error = error.through_proxy(transport.plain_proxy());
                Err(error.with(|error| error.retry_after = retry_after))
            }
        }
    }

    /// Waits before the next attempt, or returns the error if there must not be one.
    async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let error = error.after(self.last.as_ref());
        let AttemptSummary { tries, retries, .. } = error.inner.summary;
        let (pacing, policy) = (self.pacing(), &self.settings.retry);
        let now = pacing.now();
        let again = error.again();
        let is_paused = again == Again::AfterPause;
        if is_paused && policy.max_wait.is_zero() {
            // There is no pause.
            return Err(error);
        }
        let pause = is_paused.then(|| pacing.rate_limiter.pause_left(now));
        let retry_after = pause.flatten().or(error.retry_after());
        let left = self.deadline().saturating_duration_since(now);
        let jitter = (pacing.settings.jitter)();
        let wait = wait_before_retry(policy, again, retries, retry_after, jitter);
        let Some(wait) = wait.filter(|wait| *wait < left) else {
            return Err(error);
        };
        // The rate limiter waits after a 429, which does not count as a retry.
        let retry = (!is_paused).then_some(retries + 1);
        if retry.is_some() && pacing.retry_budget.is_empty() {
            return Err(error.with(|error| error.again = Again::NowWithoutBudget));
        }
        trace::waiting(wait, tries);
        let reason = error.kind();
        let retries = retry.unwrap_or(retries);
        self.last = Some(error.with(|error| error.summary.retries = retries));
        if self.state.as_ref().is_some_and(|state| state.is_over()) {
            return Err(self.canceled(Effect::Unsent));
        }
        self.report(wait, reason, retry);
        if retry.is_some() {
            pacing.settings.clock.sleep(wait).await;
            // Withdrawn after the wait, so that a canceled call costs nothing.
            if !pacing.retry_budget.withdraw() {
                let error = self.last_error_or(Error::deadline_passed);
                return Err(error.with(|error| error.again = Again::NowWithoutBudget));
            }
        }
        Ok(())
    }

    fn report(&self, duration: Duration, reason: ErrorKind, retry: Option<u32>) {
        if let Some(on_wait) = &self.pacing().settings.on_wait {
            on_wait(Wait {
                duration,
                reason,
                retry,
            });
        }
    }

    /// Returns the error of a call that was ended during an attempt with this effect.
    fn canceled(&self, effect: Effect) -> Error {
        let error = self.client.error_in(self.request, Error::canceled(effect));
        error.after(self.last.as_ref())
    }

    /// Returns the error of the last attempt, or this one if there was no attempt.
    fn last_error_or(&mut self, other: impl FnOnce() -> Error) -> Error {
        let last = self.last.take();
        last.unwrap_or_else(|| self.client.error_in(self.request, other()))
    }

    /// Returns `true` if an earlier attempt may have deleted the resource.
    fn may_be_deleted(&self) -> bool {
        self.request.operation().method() == Method::Delete
            && self.last.as_ref().is_some_and(Error::may_have_been_applied)
    }

    fn summary(&self) -> AttemptSummary {
        let last = self.last.as_ref();
        last.map(|last| last.inner.summary).unwrap_or_default()
    }

    /// Computed when it is needed, to keep calls small.
    fn deadline(&self) -> Instant {
        let deadline = self.started + self.settings.total_timeout.min(YEAR);
        self.settings.deadline.unwrap_or(deadline).min(deadline)
    }

    fn pacing(&self) -> &'a Pacing {
        &self.client.shared.pacing
    }
}
