//! Decides whether and when a failed attempt is retried.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::error::Again;

/// The number of retries of a failed call, and the waits between them.
///
/// The [guide](crate::guide#retries) lists which failures are retried. A creation is only retried if
/// the service did not process the request.
///
/// ```
/// use std::time::Duration;
///
/// use profile_sdk::{Client, RetryPolicy};
///
/// let patient = RetryPolicy::new().max_retries(8).max_wait(Duration::from_secs(120));
/// let client = Client::builder()
///     .base_url("https://profiles.example")
///     .retry(patient)
///     .total_timeout(Duration::from_secs(300))
///     .build()?;
/// let once = client.me().retry(RetryPolicy::none());
/// # Ok::<(), profile_sdk::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    pub(crate) max_retries: u32,
    pub(crate) base_delay: Duration,
    pub(crate) max_delay: Duration,
    pub(crate) max_wait: Duration,
}

impl RetryPolicy {
    /// Creates the default policy: three retries, the first within 100 milliseconds.
    pub fn new() -> Self {
        Self {
            max_retries: 3,
            base_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            max_wait: Duration::from_secs(30),
        }
    }

    /// Creates a policy without retries.
    pub fn none() -> Self {
        Self::new().max_retries(0)
    }

    /// Sets the maximum number of retries after the first attempt, without those on 429. Default: 3. With
    /// 0, a call is also not retried on 429.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// Sets the upper bound of the wait before the first retry. Default: 100 milliseconds. The bound
    /// doubles with each retry. The wait is a random part of it.
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets the maximum of that bound. Default: 10 seconds.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the maximum wait that the service can request with `Retry-After`. Default: 30 seconds. If
    /// the service requests a longer one, or one beyond the total timeout, the call fails at once.
    /// [`Error::retry_after`](crate::Error::retry_after) returns the requested wait. This maximum also
    /// limits the pause of all calls of the key after a 429, and the wait for the next window of a
    /// reported rate limit.
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the wait before the next attempt, or `None` if there must not be one. `retries` are those so far, without
/// those after a 429. `retry_after` is the wait that the service requests, or for a 429, the rest of the pause.
pub(crate) fn wait_before_retry(
    policy: &RetryPolicy,
    again: Again,
    retries: u32,
    retry_after: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    let retry_after = retry_after.unwrap_or_default();
    let (is_retried, delay) = match again {
        Again::Now => {
            // A random part of a bound that doubles with each retry.
            let bound = doubled(policy.base_delay, retries).min(policy.max_delay);
            (retries < policy.max_retries, part(bound, jitter))
        }
        // The pause is the delay, and the total timeout limits the number of attempts.
        Again::AfterPause => (policy.max_retries > 0, Duration::ZERO),
        Again::NowWithoutBudget | Again::Later | Again::Never => (false, Duration::ZERO),
    };
    (is_retried && retry_after <= policy.max_wait).then_some(retry_after.max(delay))
}

/// Returns the minimum wait of all requests after a 429, which doubles with each pause that ends with
/// another 429. At least half of it is fixed, so that no request follows without a delay.
pub(crate) fn wait_after_429(policy: &RetryPolicy, earlier_pauses: u32, jitter: f64) -> Duration {
    const MIN_WAIT: Duration = Duration::from_millis(10);
    let bound = doubled(policy.base_delay.max(MIN_WAIT), earlier_pauses)
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

/// A retry takes ten units; a success returns one.
const UNITS_PER_RETRY: u32 = 10;

/// The retries that a client can still make.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    max: u32,
    units: AtomicU32,
}

impl RetryBudget {
    pub(crate) fn new(retries: u32) -> Self {
        let max = retries.saturating_mul(UNITS_PER_RETRY);
        Self {
            max,
            units: AtomicU32::new(max),
        }
    }

    /// Returns `true` if no retry is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.units.load(Relaxed) < UNITS_PER_RETRY
    }

    /// Takes one retry. Returns `false` if none is left.
    pub(crate) fn withdraw(&self) -> bool {
        let take = |units: u32| units.checked_sub(UNITS_PER_RETRY);
        self.units.fetch_update(Relaxed, Relaxed, take).is_ok()
    }

    /// Adds one unit after a success.
    pub(crate) fn refill(&self) {
        // The budget is almost always full, and a load is cheaper than an update.
        if self.units.load(Relaxed) < self.max {
            let add = |units: u32| (units < self.max).then(|| units + 1);
            let _ = self.units.fetch_update(Relaxed, Relaxed, add);
        }
    }
}

/// A source of random numbers from 0 to 1.
pub(crate) type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The standard library seeds each hasher randomly, which is random enough here.
pub(crate) fn random_fraction() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    bits as f64 / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        Again, RetryBudget, RetryPolicy, random_fraction, wait_after_429, wait_before_retry,
    };

    fn wait(policy: &RetryPolicy, retries: u32, jitter: f64) -> Option<Duration> {
        wait_before_retry(policy, Again::Now, retries, None, jitter)
    }

    #[test]
    fn doubles_the_bound_up_to_the_maximum() {
        let policy = RetryPolicy::new().max_retries(u32::MAX);
        for (retries, milliseconds) in [(0, 100), (1, 200), (2, 400), (7, 10_000), (1_000, 10_000)]
        {
            let expected = Duration::from_millis(milliseconds);
            assert_eq!(wait(&policy, retries, 1.0), Some(expected));
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
            let expected = Duration::from_millis(milliseconds);
            assert_eq!(wait(&RetryPolicy::new(), 0, jitter), Some(expected));
        }
        let endless = RetryPolicy::new()
            .base_delay(Duration::MAX)
            .max_delay(Duration::MAX);
        assert_eq!(wait(&endless, 0, 1.0), Some(Duration::MAX));
    }

    #[test]
    fn waits_after_a_429_have_a_minimum() {
        let policy = RetryPolicy::new();
        for (pauses, jitter, milliseconds) in [
            (0, 0.0, 50),
            (0, 1.0, 100),
            (3, 0.0, 400),
            (u32::MAX, 0.5, 7_500),
        ] {
            let wait = wait_after_429(&policy, pauses, jitter);
            assert_eq!(wait, Duration::from_millis(milliseconds));
        }
        let impatient = policy.base_delay(Duration::ZERO).max_wait(Duration::ZERO);
        assert_eq!(wait_after_429(&impatient, 0, 0.0), Duration::from_millis(5));
    }

    #[test]
    fn failures_consume_and_successes_refill() {
        let budget = RetryBudget::new(2);
        assert!(budget.withdraw() && !budget.is_empty() && budget.withdraw());
        assert!(budget.is_empty() && !budget.withdraw());
        for _ in 0..9 {
            budget.refill();
        }
        assert!(budget.is_empty());
        budget.refill();
        assert!(!budget.is_empty());
        for _ in 0..100 {
            budget.refill();
        }
        assert!(budget.withdraw() && budget.withdraw() && !budget.withdraw());
    }

    #[test]
    fn fractions_spread_over_the_whole_range() {
        let drawn: Vec<_> = (0..1000).map(|_| random_fraction()).collect();
        assert!(drawn.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        let low = drawn.iter().filter(|fraction| **fraction < 0.25).count();
        assert!((150..350).contains(&low), "{low}");
    }
}
