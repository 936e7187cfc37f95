//! Sends a request until it succeeds, must not be retried, or runs out of time.

use std::time::{Duration, Instant};

use super::trace::{self, CallSpan};
use crate::client::{CallSettings, Client, YEAR};
use crate::error::body::RawResponse;
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
    /// The number of requests sent.
    count: u32,
    /// The number of retries, without those after a 429.
    retries: u32,
    /// `true` if an attempt may have been applied although it failed.
    uncertain: bool,
    /// `true` if the response to the last attempt was a 429. The rate limiter waits after it, so it
    /// does not count as a retry.
    is_rate_limited: bool,
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
        retries: 0,
        uncertain: false,
        is_rate_limited: false,
    };
    let span = CallSpan::new(request, client.shared.transport.base_url());
    let result = span.instrument(attempts.run()).await;
    let summary = attempts.summary();
    match result {
        Ok(response) => Ok((response, summary, span)),
        Err(error) => {
            let error = client.error_in(request, error).with_summary(summary);
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
                return Err(last_error.unwrap_or_else(Error::deadline_passed));
            }
            let admitted = self.pacing().admit(now, self.deadline, max_wait).await;
            let (permit, sent_at) = admitted.map_err(|error| last_error.unwrap_or(error))?;
            self.count += 1;
            let count = self.count;
            let attempt = self.send_once(permit, sent_at);
            let error = match trace::in_attempt(count, attempt).await {
                Ok(response) => {
                    self.pacing().retry_budget.refill();
                    return Ok(response);
                }
                Err(error) => error,
            };
            trace::failed(count, &error);
            self.uncertain |= error.may_have_been_applied();
            let Some(wait) = self.next_wait(&error) else {
                return Err(error);
            };
            let budget = &self.pacing().retry_budget;
            let is_counted = !self.is_rate_limited;
            if is_counted && budget.is_empty() {
                return Err(error.without_retry_budget());
            }
            self.report(wait, &error, is_counted);
            if is_counted {
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

    async fn send_once(&mut self, permit: Permit<'_>, now: Instant) -> Result<RawResponse, Error> {
        let left = self.deadline.saturating_duration_since(now);
        let timeout = self.settings.attempt_timeout.min(left);
        let operation = self.request.operation();
        self.is_rate_limited = false;
        let (mut response, body_error) = self
            .client
            .shared
            .transport
            .exchange(self.request, &self.client.shared.headers, timeout)
            .await
            .map_err(|error| {
                self.client
                    .error_in(self.request, self.client.redacted(error))
            })?;
        let policy = &self.settings.retry;
        self.pacing().finish(permit, &response, policy);
        self.is_rate_limited = response.status == 429;
        match (response.status, body_error) {
            (200..300, None) => Ok(response),
            (200..300, Some(_)) if self.accepts_any_body => {
                response.body.clear();
                Ok(response)
            }
            (200..300, Some(error)) => {
                let error = self.client.redacted(error);
                let to_error = |response| error.with_response(response);
                let error = self.client.redacted_error(response, to_error);
                Err(self.client.error_in(self.request, error))
            }
            (404, _) if self.uncertain && operation.method() == Method::Delete => Ok(response),
            _ => {
                let retry_after = self.pacing().retry_after(&response);
                let error = self.client.redacted_error(response, Error::from_response);
                let error = self.client.error_in(self.request, error);
                Err(error.with_retry_after(retry_after))
            }
        }
    }

    /// Returns the wait before the next attempt, or `None` if there must not be one.
    fn next_wait(&self, error: &Error) -> Option<Duration> {
        if self.is_rate_limited && self.settings.retry.max_wait.is_zero() {
            // There is no pause.
            return None;
        }
        let pacing = self.pacing();
        let now = pacing.now();
        let (failure, pause) = match Failure::new(error) {
            Failure::RateLimited if self.is_rate_limited => {
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

    fn report(&self, duration: Duration, error: &Error, is_counted: bool) {
        trace::waiting(duration, self.count);
        if let Some(on_wait) = &self.pacing().settings.on_wait {
            let (reason, retry) = (error.kind(), is_counted.then_some(self.retries + 1));
            on_wait(Wait {
                duration,
                reason,
                retry,
            });
        }
    }

    fn summary(&self) -> AttemptSummary {
        AttemptSummary {
            attempts: self.count,
            elapsed: self.pacing().now().duration_since(self.started),
            uncertain: self.uncertain,
        }
    }

    fn pacing(&self) -> &'a Pacing {
        &self.client.shared.pacing
    }
}
