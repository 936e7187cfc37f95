//! Sends a request until it succeeds, must not be retried, or runs out of time.

use std::time::{Duration, Instant};

use super::trace;
use crate::error::AttemptSummary;
use crate::pacing::Pacing;
use crate::retry::budget::RetryBudget;
use crate::retry::timeouts::Timeouts;
use crate::retry::{Failure, RetryContext, wait_before_retry};
use crate::transport::raw_response::RawResponse;
use crate::{Client, Error, ErrorKind, Method, Request};

/// A call in progress.
pub(crate) struct Attempts<'a> {
    client: &'a Client,
    request: &'a Request,
    timeouts: &'a Timeouts,
    started: Instant,
    deadline: Instant,
    /// The number of requests sent.
    count: u32,
    /// `true` if an attempt may have been applied although it failed.
    uncertain: bool,
}

/// Returns the response to a request if it is a 2xx. A deletion also succeeds with a 404 if an
/// earlier attempt may have deleted the resource.
pub(crate) async fn exchange<'a>(
    client: &'a Client,
    request: &'a Request,
    timeouts: &'a Timeouts,
) -> Result<(RawResponse, Attempts<'a>), Error> {
    client.check_key(request)?;
    let mut attempts = Attempts::new(client, request, timeouts);
    match trace::in_call(request, attempts.run()).await {
        Ok(response) => Ok((response, attempts)),
        Err(error) => {
            let summary = attempts.summary();
            Err(client.error_in(request, error).with_summary(summary))
        }
    }
}

impl<'a> Attempts<'a> {
    fn new(client: &'a Client, request: &'a Request, timeouts: &'a Timeouts) -> Self {
        const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        let started = client.pacing().clock.now();
        Self {
            client,
            request,
            timeouts,
            started,
            // Cap at one year; `Instant` may not represent more.
            deadline: started + timeouts.total_timeout.min(YEAR),
            count: 0,
            uncertain: false,
        }
    }

    async fn run(&mut self) -> Result<RawResponse, Error> {
        let max_wait = self.timeouts.retry.max_wait;
        let mut now = self.started;
        loop {
            now = self.pacing().admit(now, self.deadline, max_wait).await?;
            self.count += 1;
            let error = match trace::in_attempt(self.count, self.send_once(now)).await {
                Ok(response) => {
                    self.pacing().retry_budget.refill();
                    return Ok(response);
                }
                Err(error) => error,
            };
            trace::failed(self.count, &error);
            self.uncertain |= error.may_have_been_applied();
            let Some(wait) = self.next_wait(&error) else {
                return Err(error);
            };
            // Rate-limited requests do not consume the retry budget.
            let budget =
                (error.kind() != ErrorKind::RateLimited).then_some(&self.pacing().retry_budget);
            if budget.is_some_and(RetryBudget::is_empty) {
                return Err(error);
            }
            trace::waiting(wait);
            self.pacing().clock.sleep(wait).await;
            // Withdrawn after the wait, so that a canceled call costs nothing.
            if budget.is_some_and(|budget| !budget.withdraw()) {
                return Err(error);
            }
            now = self.pacing().clock.now();
        }
    }

    async fn send_once(&self, now: Instant) -> Result<RawResponse, Error> {
        let left = self.deadline.saturating_duration_since(now);
        let timeout = self.timeouts.attempt_timeout.min(left);
        let operation = self.request.operation();
        let (response, body_error) = self
            .client
            .transport()
            .exchange(self.request, timeout)
            .await
            .map_err(|error| self.client.error_in(self.request, error))?;
        self.pacing().update(&response);
        match (response.status, body_error) {
            (200..300, Some(error)) => Err(self
                .client
                .redacted_error(response, |response| error.with_response(response))
                .with_operation(operation)),
            (200..300, None) => Ok(response),
            (404, _) if self.uncertain && operation.method() == Method::Delete => Ok(response),
            _ => {
                let retry_after = self.pacing().retry_after(&response);
                let error = self.client.redacted_error(response, Error::from_response);
                let error = self.client.error_in(self.request, error);
                Err(error.with_retry_after(retry_after))
            }
        }
    }

    /// Returns the wait before the next attempt, or `None` if there must not be one. A 429 also
    /// delays all other requests of this client.
    fn next_wait(&self, error: &Error) -> Option<Duration> {
        let context = RetryContext {
            failure: Failure::new(error),
            idempotent: self.request.operation().is_idempotent(),
            retries_so_far: self.count - 1,
            retry_after: error.retry_after(),
            remaining: self.pacing().until(self.deadline),
            jitter: self.pacing().jitter.next(),
        };
        let policy = &self.timeouts.retry;
        let wait = wait_before_retry(policy, &context);
        if error.kind() == ErrorKind::RateLimited {
            let wait_for_all = error.retry_after().or(wait).unwrap_or(policy.base_delay);
            let now = self.pacing().clock.now();
            self.pacing()
                .rate_limit
                .hold(now, wait_for_all, policy.max_wait);
        }
        wait
    }

    pub(crate) fn summary(&self) -> AttemptSummary {
        AttemptSummary {
            attempts: self.count,
            elapsed: self.pacing().clock.now().duration_since(self.started),
            uncertain: self.uncertain,
        }
    }

    fn pacing(&self) -> &'a Pacing {
        self.client.pacing()
    }
}
