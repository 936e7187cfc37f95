//! How many deliveries in a row were refused, and what that suggests.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::VerifyError;

/// Number of consecutive failed deliveries after which the service turns the webhook off (section
/// Limits of the specification).
pub const MAX_CONSECUTIVE_FAILURES: u32 = 10;

/// The highest bit says that a delivery has verified; the others count the run.
const EVER_VERIFIED: u32 = !(u32::MAX >> 1);

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
    state: AtomicU32,
}

impl FailureCounter {
    /// A counter that has seen no delivery.
    ///
    /// # Examples
    ///
    /// ```
    /// static FAILURES: webhook_verify::FailureCounter = webhook_verify::FailureCounter::new();
    /// assert_eq!(FAILURES.run().consecutive(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
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
    /// assert_eq!(run.consecutive(), 1);
    /// assert_eq!(failures.count(&Ok::<_, VerifyError>(())).consecutive(), 0);
    /// ```
    pub fn count<T>(&self, outcome: &Result<T, VerifyError>) -> FailureRun {
        match outcome {
            Ok(_) => self.record_success(),
            Err(_) => self.record_failure(),
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

    pub(crate) fn record_success(&self) -> FailureRun {
        self.state.store(EVER_VERIFIED, Ordering::Relaxed);
        FailureRun {
            state: EVER_VERIFIED,
        }
    }

    /// A full count stays full: it must not reach the highest bit.
    pub(crate) fn record_failure(&self) -> FailureRun {
        let next = |state: u32| match state | EVER_VERIFIED {
            u32::MAX => state,
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
    state: u32,
}

impl FailureRun {
    /// How many deliveries were refused since the last that verified, or since the start.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{FailureRun, MAX_CONSECUTIVE_FAILURES};
    ///
    /// fn is_alarming(run: FailureRun) -> bool {
    ///     run.consecutive() >= MAX_CONSECUTIVE_FAILURES / 2
    /// }
    /// ```
    #[must_use]
    pub fn consecutive(self) -> u32 {
        self.state & !EVER_VERIFIED
    }

    /// Whether any delivery has verified since the counter was made: if not,
    /// suspect the secret, otherwise forgeries.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{FailureRun, MAX_CONSECUTIVE_FAILURES};
    ///
    /// fn suspects_the_secret(run: FailureRun) -> bool {
    ///     run.consecutive() > 0 && !run.ever_verified()
    /// }
    /// ```
    #[must_use]
    pub fn ever_verified(self) -> bool {
        self.state & EVER_VERIFIED != 0
    }
}

impl fmt::Display for FailureRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.consecutive(), self.ever_verified()) {
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
        for state in [u32::MAX, !EVER_VERIFIED] {
            let full = FailureCounter {
                state: AtomicU32::new(state),
            };
            assert_eq!(full.record_failure(), FailureRun { state });
        }
    }
}
