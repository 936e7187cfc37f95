//! Decides whether and when a failed attempt is retried.

pub(crate) mod budget;
pub(crate) mod jitter;
mod policy;
pub(crate) mod retry_after;

pub use policy::RetryPolicy;

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// The consequence of a failed attempt for retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The service did not receive the request.
    NotSent,
    /// The service rejected the request unprocessed, with a 429.
    RateLimited,
    /// It may not happen again, but the request may have been applied.
    Transient,
    /// It would happen again.
    Permanent,
}

impl Failure {
    pub(crate) fn new(error: &Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Connection, _) => Self::NotSent,
            (ErrorKind::RateLimited, _) => Self::RateLimited,
            (ErrorKind::Timeout | ErrorKind::Interrupted, _) | (_, Some(408 | 502..=504)) => {
                Self::Transient
            }
            _ => Self::Permanent,
        }
    }
}

/// The input of the decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryContext {
    pub(crate) failure: Failure,
    /// `true` if sending the request twice has the same result as sending it once.
    pub(crate) idempotent: bool,
    /// Retries after a 429 do not count.
    pub(crate) retries_so_far: u32,
    /// The wait that the service requests. For a 429, the remaining time of the hold.
    pub(crate) retry_after: Option<Duration>,
    /// The time until the total timeout of the call.
    pub(crate) remaining: Duration,
    /// From 0 to 1.
    pub(crate) jitter: f64,
}

/// Returns the wait before the next attempt, or `None` if there must not be one.
pub(crate) fn wait_before_retry(policy: &RetryPolicy, context: &RetryContext) -> Option<Duration> {
    let has_retry = context.retries_so_far < policy.max_retries;
    let (retryable, delay) = match context.failure {
        Failure::NotSent => (has_retry, delay(policy, context)),
        // The hold is the delay, and the total timeout limits the number of attempts.
        Failure::RateLimited => (policy.max_retries > 0, Duration::ZERO),
        Failure::Transient => (has_retry && context.idempotent, delay(policy, context)),
        Failure::Permanent => (false, Duration::ZERO),
    };
    let retry_after = context.retry_after.unwrap_or_default();
    if !retryable || retry_after > policy.max_wait {
        return None;
    }
    let wait = retry_after.max(delay);
    (wait < context.remaining).then_some(wait)
}

/// Full jitter: a random part of a bound that doubles with each retry.
fn delay(policy: &RetryPolicy, context: &RetryContext) -> Duration {
    let bound = doubled(policy.base_delay, context.retries_so_far).min(policy.max_delay);
    part(bound, context.jitter)
}

/// Returns the minimum wait of all requests after a 429, which doubles with each hold that ends with
/// another 429. At least half of it is not random, so that requests without delay cannot follow.
pub(crate) fn wait_after_429(policy: &RetryPolicy, earlier_holds: u32, jitter: f64) -> Duration {
    const MIN_WAIT: Duration = Duration::from_millis(10);
    let bound = doubled(policy.base_delay.max(MIN_WAIT), earlier_holds)
        .min(policy.max_delay)
        .min(policy.max_wait)
        .max(MIN_WAIT);
    bound / 2 + part(bound / 2, jitter)
}

fn doubled(delay: Duration, times: u32) -> Duration {
    delay.saturating_mul(2_u32.saturating_pow(times))
}

fn part(bound: Duration, fraction: f64) -> Duration {
    let part = bound.as_secs_f64() * fraction;
    Duration::try_from_secs_f64(part).map_or(bound, |part| part.min(bound))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Failure, RetryContext, wait_after_429, wait_before_retry};
    use crate::retry::RetryPolicy;

    const SECOND: Duration = Duration::from_secs(1);

    fn transient() -> RetryContext {
        RetryContext {
            failure: Failure::Transient,
            idempotent: true,
            retries_so_far: 0,
            retry_after: None,
            remaining: Duration::from_secs(60),
            jitter: 1.0,
        }
    }

    fn wait(context: RetryContext) -> Option<Duration> {
        wait_before_retry(&RetryPolicy::new(), &context)
    }

    #[test]
    fn doubles_the_bound_up_to_the_maximum() {
        let policy = RetryPolicy::new().max_retries(u32::MAX);
        for (retries_so_far, milliseconds) in
            [(0, 100), (1, 200), (2, 400), (7, 10_000), (1_000, 10_000)]
        {
            let context = RetryContext {
                retries_so_far,
                ..transient()
            };
            assert_eq!(
                wait_before_retry(&policy, &context),
                Some(Duration::from_millis(milliseconds))
            );
        }
    }

    #[test]
    fn accepts_any_jitter() {
        for (jitter, milliseconds) in [
            (0.0, 0),
            (0.25, 25),
            (7.0, 100),
            (-1.0, 100),
            (f64::NAN, 100),
            (f64::INFINITY, 100),
        ] {
            let context = RetryContext {
                jitter,
                ..transient()
            };
            assert_eq!(wait(context), Some(Duration::from_millis(milliseconds)));
        }
        let endless = RetryPolicy::new()
            .base_delay(Duration::MAX)
            .max_delay(Duration::MAX);
        assert_eq!(wait_before_retry(&endless, &transient()), None);
    }

    #[test]
    fn waits_after_a_429_have_a_minimum() {
        let policy = RetryPolicy::new();
        for (holds, jitter, milliseconds) in [
            (0, 0.0, 50),
            (0, 1.0, 100),
            (3, 0.0, 400),
            (u32::MAX, 0.5, 7_500),
        ] {
            let wait = wait_after_429(&policy, holds, jitter);
            assert_eq!(wait, Duration::from_millis(milliseconds));
        }
        let impatient = policy.base_delay(Duration::ZERO).max_wait(Duration::ZERO);
        assert_eq!(wait_after_429(&impatient, 0, 0.0), Duration::from_millis(5));
    }

    #[test]
    fn waits_for_retry_after_up_to_max_wait() {
        for (retry_after, expected) in [
            (Duration::ZERO, Some(Duration::from_millis(100))),
            (7 * SECOND, Some(7 * SECOND)),
            (30 * SECOND, Some(30 * SECOND)),
            (31 * SECOND, None),
            (Duration::MAX, None),
        ] {
            let retry_after = Some(retry_after);
            assert_eq!(
                wait(RetryContext {
                    retry_after,
                    ..transient()
                }),
                expected
            );
        }
    }
}
