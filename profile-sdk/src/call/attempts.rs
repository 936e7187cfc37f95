//! Sends a request until it succeeds, must not be retried, or runs out of time.

use std::time::{Duration, Instant};

use super::trace::{self, CallSpan};
use crate::client::{CallSettings, Client, YEAR};
use crate::error::{AttemptSummary, Effect, Error, ErrorKind, RawResponse};
use crate::json::Body;
use crate::pacing::{Pacing, Permit, Wait};
use crate::request::{Method, Request};
use crate::retry::{Failure, RetryContext, wait_before_retry};

/// A call in progress.
struct Attempts<'a> {
    client: &'a Client,
    request: &'a Request,
    settings: &'a CallSettings,
    accepts_any_body: bool,
    started: Instant,
    deadline: Instant,
    /// The number of retries, without those after a 429.
    retries: u32,
    summary: AttemptSummary,
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
    let started = client.shared.pacing.now();
    let deadline = started + settings.total_timeout.min(YEAR);
    let deadline = settings.deadline.unwrap_or(deadline).min(deadline);
    let mut attempts = Attempts {
        client,
        request,
        settings,
        accepts_any_body,
        started,
        deadline,
        retries: 0,
        summary: AttemptSummary::default(),
    };
    let span = CallSpan::new(request, client.shared.transport.base_url());
    let result = span.instrument(attempts.run()).await;
    let mut summary = attempts.summary;
    summary.elapsed = attempts.pacing().now().duration_since(attempts.started);
    match result {
        Ok(response) => Ok((response, summary, span)),
        Err(error) => {
            let error = error.with_summary(summary);
            span.record(error.status(), Some(&error));
            Err(error)
        }
    }
}

impl<'a> Attempts<'a> {
    async fn run(&mut self) -> Result<RawResponse, Error> {
        let mut last_error = None;
        loop {
            let now = match self.summary.tries {
                0 => self.started,
                _ => self.pacing().now(),
            };
            if now >= self.deadline || self.settings.attempt_timeout.is_zero() {
                return Err(last_error.unwrap_or_else(|| self.locate(Error::deadline_passed())));
            }
            let report = |duration| self.report(duration, ErrorKind::RateLimited, None);
            let admitted = self.pacing();
            let max_wait = self.settings.retry.max_wait;
            let admitted = admitted.admit(now, self.deadline, max_wait, report).await;
            let (permit, sent_at) =
                admitted.map_err(|error| last_error.unwrap_or_else(|| self.locate(error)))?;
            self.summary.tries += 1;
            let count = self.summary.tries;
            let attempt = self.send_once(permit, sent_at);
            let (error, failure) = match trace::in_attempt(count, attempt).await {
                Ok(response) => {
                    self.summary.attempts += 1;
                    self.pacing().retry_budget.refill();
                    return Ok(response);
                }
                Err((error, failure)) => (self.locate(error), failure),
            };
            trace::failed(count, &error);
            self.summary.attempts += u32::from(error.consequence().0 != Effect::Unsent);
            self.summary.uncertain |= error.may_have_been_applied();
            let Some(wait) = self.next_wait(&error, failure) else {
                return Err(error);
            };
            // The rate limiter waits after a 429, which does not count as a retry.
            let retry = (failure != Failure::RateLimited).then_some(self.retries + 1);
            let budget = &self.pacing().retry_budget;
            if retry.is_some() && budget.is_empty() {
                return Err(error.without_retry_budget());
            }
            trace::waiting(wait, count);
            self.report(wait, error.kind(), retry);
            if retry.is_some() {
                self.pacing().settings.clock.sleep(wait).await;
                // Withdrawn after the wait, so that a canceled call costs nothing.
                if !budget.withdraw() {
                    return Err(error.without_retry_budget());
                }
                self.retries += 1;
            }
            last_error = Some(error);
        }
    }

    async fn send_once(
        &self,
        permit: Permit<'_>,
        now: Instant,
    ) -> Result<RawResponse, (Error, Failure)> {
        let left = self.deadline.saturating_duration_since(now);
        let transport = &self.client.shared.transport;
        let headers = &self.client.shared.headers;
        let clock = &self.pacing().settings.clock;
        let attempt_timeout = self.settings.attempt_timeout;
        let exchange = transport.exchange(self.request, headers, clock, left, attempt_timeout);
        let (mut response, body_error) = match exchange.await {
            Ok(exchanged) => exchanged,
            Err(error) => return failed(self.client.redacted(error)),
        };
        let policy = &self.settings.retry;
        let retry_after = self.pacing().finish(permit, &response, policy);
        let is_delete = self.request.operation().method() == Method::Delete;
        match (response.status, body_error) {
            (200..300, None) => Ok(response),
            (200..300, Some(_)) if self.accepts_any_body => {
                response.body = Body::default();
                Ok(response)
            }
            (200..300, Some(error)) => failed(self.client.redacted(error.with_response(response))),
            (404, _) if self.summary.uncertain && is_delete => {
                // The JSON of an error is not the data of the call.
                response.body.json = String::new().into();
                Ok(response)
            }
            (status, body_error) => {
                let error = Error::from_response(response).with_coding(body_error);
                let error = self.client.redacted(error);
                let error = error.through_proxy(transport.plain_proxy());
                let error = error.with_retry_after(retry_after);
                match status {
                    429 => Err((error, Failure::RateLimited)),
                    _ => failed(error),
                }
            }
        }
    }

    /// Returns the wait before the next attempt, or `None` if there must not be one.
    fn next_wait(&self, error: &Error, failure: Failure) -> Option<Duration> {
        let pacing = self.pacing();
        let now = pacing.now();
        let pause = match failure {
            // There is no pause.
            Failure::RateLimited if self.settings.retry.max_wait.is_zero() => return None,
            Failure::RateLimited => pacing.rate_limiter.pause_left(now),
            Failure::NotSent | Failure::Transient | Failure::Permanent => None,
        };
        let context = RetryContext {
            failure,
            idempotent: self.request.operation().is_idempotent(),
            retries_so_far: self.retries,
            retry_after: pause.or(error.retry_after()),
            remaining: self.deadline.saturating_duration_since(now),
            jitter: (pacing.settings.jitter)(),
        };
        wait_before_retry(&self.settings.retry, &context)
    }

    fn report(&self, duration: Duration, reason: ErrorKind, retry: Option<u32>) {
        if let Some(on_wait) = &self.pacing().settings.on_wait {
            on_wait(Wait {
                duration,
                reason,
                retry,
                may_have_been_applied: self.summary.uncertain,
            });
        }
    }

    fn locate(&self, error: Error) -> Error {
        self.client.error_in(self.request, error)
    }

    fn pacing(&self) -> &'a Pacing {
        &self.client.shared.pacing
    }
}

fn failed(error: Error) -> Result<RawResponse, (Error, Failure)> {
    let failure = Failure::new(&error);
    Err((error, failure))
}
