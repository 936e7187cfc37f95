//! The delays between attempts to handle an event.

use std::time::Duration;

/// The delays before an event whose handler failed is delivered again: each is twice as long as the
/// one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The delay after the first failure. The default is 500 milliseconds.
    pub first_delay: Duration,
    /// The maximum delay. The default is 10 minutes.
    pub max_delay: Duration,
    /// The total of the delays after which the event becomes a dead letter. The default is 3 days.
    pub give_up_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(10 * 60),
            give_up_after: Duration::from_secs(3 * 24 * 60 * 60),
        }
    }
}

impl RetryPolicy {
    /// Returns the delay after this number of deliveries, or `None` to give up.
    pub(crate) fn delay(&self, deliveries: i64) -> Option<Duration> {
        let mut delay = self.first_delay.min(self.max_delay);
        let mut total = delay;
        for _ in 1..deliveries {
            delay = (delay * 2).min(self.max_delay);
            total = total.saturating_add(delay);
            if total > self.give_up_after {
                break;
            }
        }
        (total <= self.give_up_after).then_some(delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_maximum() {
        let second = Duration::from_secs(1);
        let policy = RetryPolicy {
            first_delay: second,
            max_delay: 5 * second,
            give_up_after: 17 * second,
        };
        let delays: Vec<_> = (1..=6).map(|deliveries| policy.delay(deliveries)).collect();
        let expected = [Some(1), Some(2), Some(4), Some(5), Some(5), None];
        assert_eq!(
            delays,
            expected.map(|seconds| seconds.map(Duration::from_secs))
        );
        assert_eq!(policy.delay(i64::MAX), None);
    }

    #[test]
    fn retries_for_three_days_by_default() {
        let policy = RetryPolicy::default();
        let last = (1..).find(|deliveries| policy.delay(*deliveries).is_none());
        assert_eq!(last, Some(442));
    }
}
