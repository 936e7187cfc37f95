//! Counts the failed deliveries in a row that the service sees, and says when that is alarming.

use webhook_verify::FailureRun;

const TURNS_WEBHOOK_OFF: u64 = FailureRun::TURNS_WEBHOOK_OFF as u64;

/// A run of failures. Whether they are the service's own deliveries cannot be told.
#[derive(Debug, Default)]
pub(super) struct FailuresInRow {
    count: u64,
    any_success: bool,
}

impl FailuresInRow {
    /// Counts a delivery, and gives the run's length.
    pub(super) fn count(&mut self, success: bool) -> u64 {
        self.count = match success {
            true => 0,
            false => self.count + 1,
        };
        self.any_success |= success;
        self.count
    }

    /// What to say of the run as it stands: at its half, and when it is complete.
    pub(super) fn warning(&self) -> Option<String> {
        let count = self.count;
        let consequence = match count {
            TURNS_WEBHOOK_OFF => {
                "if the service sent them, it has turned the webhook off".to_owned()
            }
            _ if count == TURNS_WEBHOOK_OFF / 2 => {
                format!("after {TURNS_WEBHOOK_OFF} in a row the service turns the webhook off")
            }
            _ => return None,
        };
        let suspicion = match self.any_success {
            true => "",
            false => "; none has succeeded yet, so check that the secret is the service's",
        };
        Some(format!(
            "{count} deliveries in a row have failed: {consequence}{suspicion}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::FailuresInRow;

    #[test]
    fn a_run_alarms_at_its_half_and_when_it_is_complete() {
        let mut failures = FailuresInRow::default();
        let alarming: Vec<_> = (1..=20)
            .filter(|_| {
                failures.count(false);
                failures.warning().is_some()
            })
            .collect();
        assert_eq!(alarming, [5, 10]);
    }

    #[test]
    fn a_success_ends_a_run_and_the_suspicion_of_the_secret() {
        let mut failures = FailuresInRow::default();
        assert_eq!((1..=9).map(|_| failures.count(false)).last(), Some(9));
        assert_eq!(failures.count(true), 0);
        assert_eq!((1..=5).map(|_| failures.count(false)).last(), Some(5));
        let warning = failures.warning();
        assert_eq!(
            warning.as_deref(),
            Some(
                "5 deliveries in a row have failed: after 10 in a row the service turns the webhook off"
            )
        );
    }
}
