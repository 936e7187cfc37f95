//! How many deliveries in a row were refused, and what that suggests.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::VerifyError;

/// The highest bit says that a delivery has verified; the others count the run.
const EVER_VERIFIED: usize = !(usize::MAX >> 1);

/// Counts refused deliveries in a row, for a receiver that serves many at once.
///
/// Ten failed deliveries in a row turn the webhook off (section Limits of the
/// specification). The counter tells a receiver that has never verified
/// anything, which most often has the wrong secret, from one that some forge
/// against. It cannot tell forgeries from the service's own deliveries, so its
/// run is not the service's.
///
/// # Examples
///
/// ```
/// use webhook_verify::{FailureCounter, Headers, Verifier};
///
/// static FAILURES: FailureCounter = FailureCounter::new();
///
/// fn receive(verifier: &Verifier, headers: Headers<'_>, body: &[u8]) -> u16 {
///     let outcome = verifier.verify(headers, body);
///     let run = FAILURES.count(&outcome);
///     match outcome {
///         Ok(_) => 204,
///         Err(error) => {
///             eprintln!("{error} ({run})");
///             401
///         }
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct FailureCounter {
    state: AtomicUsize,
}

impl FailureCounter {
    /// A counter that has seen no delivery.
    ///
    /// # Examples
    ///
    /// ```
    /// static FAILURES: webhook_verify::FailureCounter = webhook_verify::FailureCounter::new();
    /// assert_eq!(FAILURES.run().in_row(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicUsize::new(0),
        }
    }

    /// Counts one outcome and says what the run is now: success ends it, an error adds to it.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{FailureCounter, VerifyError};
    ///
    /// let failures = FailureCounter::new();
    /// let run = failures.count(&Err::<(), _>(VerifyError::SignatureMissing));
    /// assert_eq!(run.in_row(), 1);
    /// assert_eq!(failures.count(&Ok::<_, VerifyError>(())).in_row(), 0);
    /// ```
    pub fn count<T>(&self, outcome: &Result<T, VerifyError>) -> FailureRun {
        match outcome {
            Ok(_) => self.verified(),
            Err(_) => self.refused(),
        }
    }

    /// The run as it stands.
    ///
    /// # Examples
    ///
    /// ```
    /// let failures = webhook_verify::FailureCounter::new();
    /// assert!(!failures.run().ever_verified());
    /// ```
    #[must_use]
    pub fn run(&self) -> FailureRun {
        FailureRun {
            state: self.state.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn verified(&self) -> FailureRun {
        self.state.store(EVER_VERIFIED, Ordering::Relaxed);
        FailureRun {
            state: EVER_VERIFIED,
        }
    }

    /// A full count stays full: it must not reach the highest bit.
    pub(crate) fn refused(&self) -> FailureRun {
        let next = |state: usize| match state | EVER_VERIFIED {
            usize::MAX => state,
            _ => state + 1,
        };
        let updated = self
            .state
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| {
                Some(next(state))
            });
        FailureRun {
            state: next(updated.unwrap_or_else(|state| state)),
        }
    }
}

/// How many deliveries in a row were refused at one moment.
///
/// Its `Display` says what it suggests, for a log.
///
/// # Examples
///
/// ```
/// use webhook_verify::{FailureCounter, VerifyError};
///
/// let run = FailureCounter::new().count(&Err::<(), _>(VerifyError::SignatureMissing));
/// assert_eq!(
///     run.to_string(),
///     "1 refused in a row and none ever verified: check that the secret is the service's"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureRun {
    state: usize,
}

impl FailureRun {
    /// After so many failed deliveries in a row the service turns the webhook
    /// off (section Limits of the specification).
    pub const TURNS_WEBHOOK_OFF: usize = 10;

    /// How many deliveries were refused since the last that verified, or since the start.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::FailureRun;
    ///
    /// fn is_alarming(run: FailureRun) -> bool {
    ///     run.in_row() >= FailureRun::TURNS_WEBHOOK_OFF / 2
    /// }
    /// ```
    #[must_use]
    pub fn in_row(self) -> usize {
        self.state & !EVER_VERIFIED
    }

    /// Whether any delivery has verified since the counter was made: if not,
    /// suspect the secret, otherwise forgeries.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::FailureRun;
    ///
    /// fn suspects_the_secret(run: FailureRun) -> bool {
    ///     run.in_row() > 0 && !run.ever_verified()
    /// }
    /// ```
    #[must_use]
    pub fn ever_verified(self) -> bool {
        self.state & EVER_VERIFIED != 0
    }
}

impl fmt::Display for FailureRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.in_row(), self.ever_verified()) {
            (0, true) => f.write_str("the last delivery verified"),
            (0, false) => f.write_str("no delivery yet"),
            (count, false) => write!(
                f,
                "{count} refused in a row and none ever verified: \
                 check that the secret is the service's"
            ),
            (count, true) => write!(
                f,
                "{count} refused in a row after others verified: forgeries, \
                 or the service signs with another secret now"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_count_stays_full_and_keeps_its_memory() {
        for state in [usize::MAX, !EVER_VERIFIED] {
            let full = FailureCounter {
                state: AtomicUsize::new(state),
            };
            assert_eq!(full.refused(), FailureRun { state });
        }
    }
}
