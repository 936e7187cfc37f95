//! Sends a request until it succeeds, must not be retried, or runs out of time.

use std::time::{Duration, Instant};

use super::trace::{self, CallSpan};
use crate::client::{CallSettings, Client, YEAR};
use crate::error::raw_response::RawResponse;
use crate::error::{AttemptSummary, Error};
use crate::pacing::rate_limiter::Permit;
use crate::pacing::{Pacing, Wait};
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
    /// The number of attempts.
    count: u32,
    /// The number of attempts in which no request was sent.
    unsent: u32,
    /// The number of retries, without those after a 429.
    retries: u32,
    /// `true` if an attempt may have been applied although it failed.
    uncertain: bool,
}

/// The result of one attempt.
enum Attempt {
    Succeeded(RawResponse),
    /// The response was a 429. The rate limiter waits after it, so it does not count as a retry.
    RateLimited(Error),
    Failed(Error),
}

/// Returns the response to a request if it is a 2xx. A deletion also succeeds with a 404 if an
/// earlier attempt may have deleted the resource. For a call that accepts any body, a body that
/// could not be read completely becomes empty. Also returns the span, which lasts until the body is decoded.
pub(crate) async fn send_with_retries(
    client: &Client,
    request: &Request,
    settings: &CallSettings,
    accepts_any_body: bool,
) -> Result<(RawResponse, AttemptSummary, CallSpan), Error> {
    client.check_key(request)?;
    let started = client.shared.pacing.now();
    let total = started + settings.total_timeout.min(YEAR);
    let mut attempts = Attempts {
        client,
        request,
        settings,
        accepts_any_body,
        started,
        deadline: settings
            .deadline
            .map_or(total, |deadline| deadline.min(total)),
        count: 0,
        unsent: 0,
        retries: 0,
        uncertain: false,
    };
    let span = CallSpan::new(request, client.shared.transport.base_url());
    let result = span.instrument(attempts.run()).await;
    let summary = attempts.summary();
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
        let max_wait = self.settings.retry.max_wait;
        let (mut now, mut last_error) = (self.started, None);
        loop {
            if now >= self.deadline || self.settings.attempt_timeout.is_zero() {
                return Err(last_error.unwrap_or_else(|| self.locate(Error::deadline_passed())));
            }
            let admitted = self.pacing().admit(now, self.deadline, max_wait).await;
            let (permit, sent_at) =
                admitted.map_err(|error| last_error.unwrap_or_else(|| self.locate(error)))?;
            self.count += 1;
            let count = self.count;
            let attempt = self.send_once(permit, sent_at);
            let (error, is_rate_limited) = match trace::in_attempt(count, attempt).await {
                Attempt::Succeeded(response) => {
                    self.pacing().retry_budget.refill();
                    return Ok(response);
                }
                Attempt::RateLimited(error) => (error, true),
                Attempt::Failed(error) => (error, false),
            };
            let error = self.locate(error);
            trace::failed(count, &error);
            self.unsent += u32::from(error.is_unsent());
            self.uncertain |= error.may_have_been_applied();
            let Some(wait) = self.next_wait(&error, is_rate_limited) else {
                return Err(error);
            };
            let budget = &self.pacing().retry_budget;
            if !is_rate_limited && budget.is_empty() {
                return Err(error.without_retry_budget());
            }
            self.report(wait, &error, is_rate_limited);
            if !is_rate_limited {
                self.pacing().settings.clock.sleep(wait).await;
                // Withdrawn after the wait, so that a canceled call costs nothing.
                if !budget.withdraw() {
                    return Err(error.without_retry_budget());
                }
                self.retries += 1;
            }
            now = self.pacing().now();
            last_error = Some(error);
        }
    }

    async fn send_once(&self, permit: Permit<'_>, now: Instant) -> Attempt {
        let left = self.deadline.saturating_duration_since(now);
        let timeout = self.settings.attempt_timeout.min(left);
        let transport = &self.client.shared.transport;
        let headers = &self.client.shared.headers;
        let exchanged = transport.exchange(self.request, headers, timeout).await;
        let (mut response, body_error) = match exchanged {
            Ok(exchanged) => exchanged,
            Err(error) => return Attempt::Failed(self.client.redacted(error)),
        };
        let policy = &self.settings.retry;
        let retry_after = self.pacing().finish(permit, &response, policy);
        let is_delete = self.request.operation().method() == Method::Delete;
        match (response.status, body_error) {
            (200..300, None) => Attempt::Succeeded(response),
            (200..300, Some(_)) if self.accepts_any_body => {
                response.body.clear();
                Attempt::Succeeded(response)
            }
            (200..300, Some(error)) => {
                let error = self.client.redacted(error);
                let to_error = |response| error.with_response(response);
                Attempt::Failed(self.client.redacted_error(response, to_error))
            }
            (404, _) if self.uncertain && is_delete => Attempt::Succeeded(response),
            (status, _) => {
                let error = self.client.redacted_error(response, Error::from_response);
                let error = error.through_proxy(transport.plain_proxy());
                let error = error.with_retry_after(retry_after);
                match status {
                    429 => Attempt::RateLimited(error),
                    _ => Attempt::Failed(error),
                }
            }
        }
    }

    /// Returns the wait before the next attempt, or `None` if there must not be one.
    fn next_wait(&self, error: &Error, is_rate_limited: bool) -> Option<Duration> {
        if is_rate_limited && self.settings.retry.max_wait.is_zero() {
            // There is no pause.
            return None;
        }
        let pacing = self.pacing();
        let now = pacing.now();
        let (failure, pause) = match Failure::new(error) {
            Failure::RateLimited if is_rate_limited => {
                (Failure::RateLimited, pacing.rate_limiter.pause_left(now))
            }
            // An error of a layer, after which the rate limiter does not wait.
            Failure::RateLimited => (Failure::NotSent, None),
            failure @ (Failure::NotSent | Failure::Transient | Failure::Permanent) => {
                (failure, None)
            }
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

    fn report(&self, duration: Duration, error: &Error, is_rate_limited: bool) {
        trace::waiting(duration, self.count);
        if let Some(on_wait) = &self.pacing().settings.on_wait {
            on_wait(Wait {
                duration,
                reason: error.kind(),
                retry: (!is_rate_limited).then_some(self.retries + 1),
            });
        }
    }

    fn locate(&self, error: Error) -> Error {
        self.client.error_in(self.request, error)
    }

    fn summary(&self) -> AttemptSummary {
        AttemptSummary {
            attempts: self.count - self.unsent,
            tries: self.count,
            elapsed: self.pacing().now().duration_since(self.started),
            uncertain: self.uncertain,
        }
    }

    fn pacing(&self) -> &'a Pacing {
        &self.client.shared.pacing
    }
}
