//! How many retries a client may still make, so that a broken service is not hammered.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What a retry costs; a success brings one back.
const UNITS_PER_RETRY: u32 = 10;

/// A stock of retries that failures use up and successes fill again, ten for one.
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

    /// Whether there is none units.
    pub(crate) fn is_empty(&self) -> bool {
        self.units.load(Relaxed) < UNITS_PER_RETRY
    }

    /// Takes one retry, if there is one.
    pub(crate) fn withdraw(&self) -> bool {
        let take = |units: u32| units.checked_sub(UNITS_PER_RETRY);
        self.units.fetch_update(Relaxed, Relaxed, take).is_ok()
    }

    /// Tells of a success.
    pub(crate) fn refill(&self) {
        // Hardly ever is something missing, and reading is cheaper than writing.
        if self.units.load(Relaxed) < self.max {
            let add = |units: u32| (units < self.max).then(|| units + 1);
            let _ = self.units.fetch_update(Relaxed, Relaxed, add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RetryBudget;

    #[test]
    fn failures_use_it_up_and_successes_fill_it() {
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
}
