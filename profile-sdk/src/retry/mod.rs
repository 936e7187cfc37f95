//! Whether a failed attempt is repeated, and after which wait.

pub(crate) mod budget;
pub(crate) mod jitter;
pub(crate) mod patience;
mod policy;
pub(crate) mod retry_after;

pub use policy::RetryPolicy;

use std::time::Duration;

use crate::{Error, ErrorKind};

/// What a failed attempt means for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The request cannot have arrived.
    NotArrived,
    /// The service did not look at the request, since the key has asked too often.
    RefusedUnread,
    /// It may be over soon, and the request may have taken effect.
    Passing,
    /// It would happen again.
    Lasting,
}

impl Failure {
    pub(crate) fn of(error: &Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Connection, _) => Self::NotArrived,
            (ErrorKind::RateLimited, _) => Self::RefusedUnread,
            (ErrorKind::Timeout | ErrorKind::Interrupted, _) | (_, Some(408 | 502..=504)) => {
                Self::Passing
            }
            _ => Self::Lasting,
        }
    }
}

/// All that the decision rests on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Situation {
    pub(crate) failure: Failure,
    /// Whether doing it twice leaves the same behind as doing it once.
    pub(crate) idempotent: bool,
    pub(crate) retries_so_far: u32,
    /// The wait that the service asks for.
    pub(crate) asked: Option<Duration>,
    /// What is left of the call's total time.
    pub(crate) remaining: Duration,
    /// From 0 to 1.
    pub(crate) jitter: f64,
}

/// The wait before the next attempt; none when there is to be no other.
pub(crate) fn wait_before_retry(policy: &RetryPolicy, situation: &Situation) -> Option<Duration> {
    let sensible = match situation.failure {
        Failure::NotArrived | Failure::RefusedUnread => true,
        Failure::Passing => situation.idempotent,
        Failure::Lasting => false,
    };
    let asked = situation.asked.unwrap_or_default();
    if !sensible || situation.retries_so_far >= policy.max_retries || asked > policy.max_wait {
        return None;
    }
    let wait = asked.max(delay(policy, situation));
    (wait < situation.remaining).then_some(wait)
}

/// Full jitter: any part of a bound that doubles with each retry.
fn delay(policy: &RetryPolicy, situation: &Situation) -> Duration {
    let doubled = 2_u32.saturating_pow(situation.retries_so_far);
    let bound = policy.base_delay.saturating_mul(doubled);
    let bound = bound.min(policy.max_delay);
    let part = bound.as_secs_f64() * situation.jitter;
    Duration::try_from_secs_f64(part).map_or(bound, |part| part.min(bound))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Failure, Situation, wait_before_retry};
    use crate::{Error, ErrorKind, RetryPolicy};

    const SECOND: Duration = Duration::from_secs(1);

    fn passing() -> Situation {
        Situation {
            failure: Failure::Passing,
            idempotent: true,
            retries_so_far: 0,
            asked: None,
            remaining: Duration::from_secs(60),
            jitter: 1.0,
        }
    }

    fn wait(situation: Situation) -> Option<Duration> {
        wait_before_retry(&RetryPolicy::new(), &situation)
    }

    #[test]
    fn only_what_cannot_happen_twice_is_repeated() {
        for (failure, idempotent, repeated) in [
            (Failure::NotArrived, false, true),
            (Failure::NotArrived, true, true),
            (Failure::RefusedUnread, false, true),
            (Failure::RefusedUnread, true, true),
            (Failure::Passing, false, false),
            (Failure::Passing, true, true),
            (Failure::Lasting, false, false),
            (Failure::Lasting, true, false),
        ] {
            let situation = Situation {
                failure,
                idempotent,
                ..passing()
            };
            assert_eq!(wait(situation).is_some(), repeated, "{situation:?}");
        }
    }

    #[test]
    fn the_kind_of_an_error_says_what_it_means() {
        for (kind, failure) in [
            (ErrorKind::Connection, Failure::NotArrived),
            (ErrorKind::Timeout, Failure::Passing),
            (ErrorKind::Interrupted, Failure::Passing),
            (ErrorKind::TooLarge, Failure::Lasting),
            (ErrorKind::Unreadable, Failure::Lasting),
            (ErrorKind::Invalid, Failure::Lasting),
        ] {
            assert_eq!(Failure::of(&Error::new(kind, "")), failure, "{kind:?}");
        }
    }

    #[test]
    fn the_bound_doubles_up_to_a_limit() {
        let policy = RetryPolicy::new().max_retries(u32::MAX);
        for (retries_so_far, milliseconds) in
            [(0, 100), (1, 200), (2, 400), (7, 10_000), (1_000, 10_000)]
        {
            let situation = Situation {
                retries_so_far,
                ..passing()
            };
            assert_eq!(
                wait_before_retry(&policy, &situation),
                Some(Duration::from_millis(milliseconds))
            );
        }
    }

    #[test]
    fn any_number_can_be_the_jitter() {
        for (jitter, milliseconds) in [
            (0.0, 0),
            (0.25, 25),
            (7.0, 100),
            (-1.0, 100),
            (f64::NAN, 100),
            (f64::INFINITY, 100),
        ] {
            let situation = Situation {
                jitter,
                ..passing()
            };
            assert_eq!(wait(situation), Some(Duration::from_millis(milliseconds)));
        }
        let endless = RetryPolicy::new()
            .base_delay(Duration::MAX)
            .max_delay(Duration::MAX);
        assert_eq!(wait_before_retry(&endless, &passing()), None);
    }

    #[test]
    fn the_retries_are_counted() {
        let last = Situation {
            retries_so_far: 2,
            ..passing()
        };
        assert!(wait(last).is_some());
        let beyond = Situation {
            retries_so_far: 3,
            ..last
        };
        assert_eq!(wait(beyond), None);
        assert_eq!(wait_before_retry(&RetryPolicy::none(), &passing()), None);
    }

    #[test]
    fn what_the_service_asks_for_is_waited_if_it_is_not_too_long() {
        for (asked, expected) in [
            (Duration::ZERO, Some(Duration::from_millis(100))),
            (7 * SECOND, Some(7 * SECOND)),
            (30 * SECOND, Some(30 * SECOND)),
            (31 * SECOND, None),
            (Duration::MAX, None),
        ] {
            let asked = Some(asked);
            assert_eq!(wait(Situation { asked, ..passing() }), expected);
        }
    }

    #[test]
    fn no_wait_is_longer_than_the_time_that_is_left() {
        let situation = Situation {
            asked: Some(SECOND),
            remaining: SECOND,
            ..passing()
        };
        assert_eq!(wait(situation), None);
        let remaining = 2 * SECOND;
        let situation = Situation {
            remaining,
            ..situation
        };
        assert_eq!(wait(situation), Some(SECOND));
    }
}
