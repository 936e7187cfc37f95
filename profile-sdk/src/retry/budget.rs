//! A limit on the retries of a client, so that it does not overload a failing service.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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

    /// Returns one unit after a success.
    pub(crate) fn refill(&self) {
        // The budget is almost always full, and a load is cheaper than an update.
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
}
