//! Sends a request as often as its policy allows, and no longer than its time.

use std::time::{Duration, Instant};

use super::trace;
use crate::error::Effort;
use crate::pacing::Pacing;
use crate::retry::budget::RetryBudget;
use crate::retry::patience::Patience;
use crate::retry::{Failure, Situation, wait_before_retry};
use crate::transport::raw_response::RawResponse;
use crate::{Client, Error, ErrorKind, Method, Request};

/// One call under way.
pub(crate) struct Attempts<'a> {
    client: &'a Client,
    request: &'a Request,
    patience: &'a Patience,
    started: Instant,
    deadline: Instant,
    /// How many requests were sent.
    count: u32,
    /// Whether one of them may have taken effect although it failed.
    uncertain: bool,
}

/// Gives the answer to a request if that is a 2xx, or a 404 to a deletion of which an earlier
/// attempt may have done it already.
pub(crate) async fn exchange<'a>(
    client: &'a Client,
    request: &'a Request,
    patience: &'a Patience,
) -> Result<(RawResponse, Attempts<'a>), Error> {
    client.check_key(request)?;
    let mut attempts = Attempts::new(client, request, patience);
    match trace::in_call(request, attempts.run()).await {
        Ok(answer) => Ok((answer, attempts)),
        Err(error) => {
            let effort = attempts.effort();
            Err(error.during(request.operation()).after(effort))
        }
    }
}

impl<'a> Attempts<'a> {
    fn new(client: &'a Client, request: &'a Request, patience: &'a Patience) -> Self {
        const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        let started = client.pacing().clock.now();
        Self {
            client,
            request,
            patience,
            started,
            // What no clock can show is as good as never.
            deadline: started + patience.total_timeout.min(YEAR),
            count: 0,
            uncertain: false,
        }
    }

    async fn run(&mut self) -> Result<RawResponse, Error> {
        let max_wait = self.patience.retry.max_wait;
        let mut now = self.started;
        loop {
            now = self.pacing().admit(now, self.deadline, max_wait).await?;
            self.count += 1;
            let error = match trace::in_attempt(self.count, self.send_once(now)).await {
                Ok(answer) => {
                    self.pacing().retry_budget.refill();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            trace::failed(self.count, &error);
            self.uncertain |= error.may_have_been_applied();
            let Some(wait) = self.next_wait(&error) else {
                return Err(error);
            };
            // What the service refuses unread does not wear it out, and the wait is its own.
            let budget =
                (error.kind() != ErrorKind::RateLimited).then_some(&self.pacing().retry_budget);
            if budget.is_some_and(RetryBudget::is_spent) {
                return Err(error);
            }
            trace::waiting(wait);
            self.pacing().clock.sleep(wait).await;
            // Taken after the wait, so that a call that is cancelled meanwhile costs nothing.
            if budget.is_some_and(|budget| !budget.withdraw()) {
                return Err(error);
            }
            now = self.pacing().clock.now();
        }
    }

    async fn send_once(&self, now: Instant) -> Result<RawResponse, Error> {
        let left = self.deadline.saturating_duration_since(now);
        let timeout = self.patience.attempt_timeout.min(left);
        let operation = self.request.operation();
        let answer = self
            .client
            .transport()
            .exchange(self.request, timeout)
            .await
            .map_err(|error| error.during(operation))?;
        self.pacing().note(&answer);
        match answer.status {
            200..300 => Ok(answer),
            404 if self.uncertain && operation.method() == Method::Delete => Ok(answer),
            _ => {
                let asked = self.pacing().asked_by(&answer);
                let error = self.client.error_of(answer, Error::refused);
                Err(error.during(operation).asking_to_wait(asked))
            }
        }
    }

    /// The wait before the next attempt, if there is to be one. A 429 holds back every other
    /// request of this client too.
    fn next_wait(&self, error: &Error) -> Option<Duration> {
        let situation = Situation {
            failure: Failure::of(error),
            idempotent: self.request.operation().is_idempotent(),
            retries_so_far: self.count - 1,
            asked: error.retry_after(),
            remaining: self.pacing().until(self.deadline),
            jitter: self.pacing().jitter.next(),
        };
        let policy = &self.patience.retry;
        let wait = wait_before_retry(policy, &situation);
        if error.kind() == ErrorKind::RateLimited {
            let hold = error.retry_after().or(wait).unwrap_or(policy.base_delay);
            let now = self.pacing().clock.now();
            self.pacing().rate_limit.hold(now, hold, policy.max_wait);
        }
        wait
    }

    /// What it has taken until now.
    pub(crate) fn effort(&self) -> Effort {
        Effort {
            attempts: self.count,
            elapsed: self.pacing().clock.now().duration_since(self.started),
            uncertain: self.uncertain,
        }
    }

    fn pacing(&self) -> &'a Pacing {
        self.client.pacing()
    }
}
