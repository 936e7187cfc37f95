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
    /// The number of attempts after which the event becomes a dead letter. The default is 442, which
    /// takes 3 days.
    pub max_attempts: i64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(10 * 60),
            max_attempts: 442,
        }
    }
}

impl RetryPolicy {
    /// Returns the delay after this attempt, counted from 1, or `None` to give up.
    pub(crate) fn delay(&self, attempt: i64) -> Option<Duration> {
        let doublings = u32::try_from(attempt - 1).unwrap_or_default().min(20);
        let delay = self.first_delay * 2_u32.pow(doublings);
        (attempt < self.max_attempts).then_some(delay.min(self.max_delay))
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
            max_attempts: 6,
        };
        let delays: Vec<_> = (1..=6).map(|attempt| policy.delay(attempt)).collect();
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
        let total: Duration = (1..).map_while(|attempt| policy.delay(attempt)).sum();
        let three_days = Duration::from_secs(3 * 24 * 60 * 60);
        assert!((three_days - policy.max_delay..three_days).contains(&total));
    }
}
