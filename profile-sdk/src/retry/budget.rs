//! How many retries a client may still make, so that a broken service is not hammered.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What a retry costs; a success brings one back.
const COST: u32 = 10;

/// A stock of retries that failures use up and successes fill again, ten for one.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    most: u32,
    left: AtomicU32,
}

impl RetryBudget {
    pub(crate) fn new(retries: u32) -> Self {
        let most = retries.saturating_mul(COST);
        Self {
            most,
            left: AtomicU32::new(most),
        }
    }

    /// Whether there is none left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.load(Relaxed) < COST
    }

    /// Takes one retry, if there is one.
    pub(crate) fn withdraw(&self) -> bool {
        let take = |left: u32| left.checked_sub(COST);
        self.left.fetch_update(Relaxed, Relaxed, take).is_ok()
    }

    /// Tells of a success.
    pub(crate) fn refill(&self) {
        // Hardly ever is something missing, and reading is cheaper than writing.
        if self.left.load(Relaxed) < self.most {
            let add = |left: u32| (left < self.most).then(|| left + 1);
            let _ = self.left.fetch_update(Relaxed, Relaxed, add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RetryBudget;

    #[test]
    fn failures_use_it_up_and_successes_fill_it() {
        let budget = RetryBudget::new(2);
        assert!(budget.withdraw() && !budget.is_spent() && budget.withdraw());
        assert!(budget.is_spent() && !budget.withdraw());
        for _ in 0..9 {
            budget.refill();
        }
        assert!(budget.is_spent());
        budget.refill();
        assert!(!budget.is_spent());
        for _ in 0..100 {
            budget.refill();
        }
        assert!(budget.withdraw() && budget.withdraw() && !budget.withdraw());
    }
}
