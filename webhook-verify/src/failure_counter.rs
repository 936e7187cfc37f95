//! Counting of consecutive failures.

use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::signature::VerifyError;

/// The number of consecutive failed deliveries after which the service turns the webhook off.
/// (Specification: Limits.)
pub const MAX_CONSECUTIVE_FAILURES: u32 = 10;

// The parts of the state, which change together.
/// Set if a delivery has ever verified.
const EVER_VERIFIED: u32 = 1 << 31;
/// Set if responses are counted, so that a verification does not reset the counts.
const COUNTS_RESPONSES: u32 = 1 << 30;
/// The position of the count of failures after verification, which is a part of the count of all.
const AFTER_VERIFICATION: u32 = 15;
const MAX_COUNT: u32 = (1 << AFTER_VERIFICATION) - 1;

/// A counter of consecutive failures, which can be shared between threads.
///
/// The service turns a webhook off after [`MAX_CONSECUTIVE_FAILURES`]. The counter distinguishes a
/// misconfigured secret (nothing ever verified) from forged requests and from failures of your own.
/// It also counts forged requests, so its count may be higher than that of the service.
///
/// [`count`](Self::count) counts verifications only. A [`Receiver`](crate::Receiver), which has a
/// counter, can count responses.
///
/// # Examples
///
/// ```
/// use webhook_verify::{FailureCounter, Headers, Verifier};
///
/// static FAILURES: FailureCounter = FailureCounter::new();
///
/// fn receive(verifier: &Verifier, headers: Headers<'_>, body: &[u8]) -> u16 {
///     let result = verifier.verify(headers, body);
///     let consecutive = FAILURES.count(&result);
///     match result {
///         Ok(_) => 204,
///         Err(error) => {
///             eprintln!("{error} ({consecutive})");
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
    /// Creates a counter at 0.
    #[must_use]
    pub const fn new() -> Self {
        let state = AtomicU32::new(0);
        Self { state }
    }

    /// Counts the result of a verification and returns the new number: an error adds to it, a
    /// success resets it.
    pub fn count<T>(&self, result: &Result<T, VerifyError>) -> ConsecutiveFailures {
        match result {
            Ok(_) => self.record_verified(),
            Err(_) => self.record_failure(false),
        }
    }

    /// Returns the current number.
    #[must_use]
    pub fn consecutive(&self) -> ConsecutiveFailures {
        ConsecutiveFailures(self.state.load(Relaxed))
    }

    pub(crate) fn record_verified(&self) -> ConsecutiveFailures {
        self.update(|state| match state & COUNTS_RESPONSES {
            0 => EVER_VERIFIED,
            _ => state | EVER_VERIFIED,
        })
    }

    /// Saturates, so that a count does not overflow into the next part.
    pub(crate) fn record_failure(&self, after_verification: bool) -> ConsecutiveFailures {
        let one = 1 + (u32::from(after_verification) << AFTER_VERIFICATION);
        self.update(|state| match state & MAX_COUNT {
            MAX_COUNT => state,
            _ => state + one,
        })
    }

    #[cfg(feature = "receiver")]
    pub(crate) fn start_counting_responses(&self) {
        self.state.fetch_or(COUNTS_RESPONSES, Relaxed);
    }

    /// Counts a response with 2xx.
    #[cfg(feature = "receiver")]
    pub(crate) fn record_success(&self) {
        self.state
            .fetch_and(EVER_VERIFIED | COUNTS_RESPONSES, Relaxed);
    }

    fn update(&self, next: impl Fn(u32) -> u32) -> ConsecutiveFailures {
        let change = |state| Some(next(state));
        let before = self.state.fetch_update(Relaxed, Relaxed, change);
        ConsecutiveFailures(next(before.unwrap_or_else(|state| state)))
    }
}

/// A number of consecutive failures.
///
/// The `Display` output is for logs and names the likely cause.
///
/// # Examples
///
/// ```
/// use webhook_verify::{FailureCounter, VerifyError};
///
/// let consecutive = FailureCounter::new().count(&Err::<(), _>(VerifyError::SignatureMissing));
/// assert_eq!(
///     consecutive.to_string(),
///     "1 rejected in a row, none ever verified; check the secret"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsecutiveFailures(u32);

impl ConsecutiveFailures {
    /// Returns the number of failures since the last success, or since the start; at most 32,767.
    ///
    /// A success is a response with 2xx if the [`Receiver`](crate::Receiver) counts responses, and
    /// otherwise a verified delivery.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0 & MAX_COUNT
    }

    /// Returns how many of the failures came after verification: responses of your own.
    #[must_use]
    pub fn after_verification(self) -> u32 {
        self.0 >> AFTER_VERIFICATION & MAX_COUNT
    }

    /// Returns `true` if any delivery was verified. If not, the secret is probably wrong; otherwise,
    /// the rejected requests are probably forged.
    #[must_use]
    pub fn ever_verified(self) -> bool {
        self.0 & EVER_VERIFIED != 0
    }
}

impl fmt::Display for ConsecutiveFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.after_verification();
        match (self.count(), self.ever_verified()) {
            (count, _) if own > 0 => {
                write!(
                    f,
                    "{count} failed in a row, {own} of them after verification"
                )
            }
            (0, true) if self.0 & COUNTS_RESPONSES != 0 => f.write_str("no failures"),
            (0, true) => f.write_str("the last delivery verified"),
            (0, false) => f.write_str("no deliveries yet"),
            (count, false) => write!(
                f,
                "{count} rejected in a row, none ever verified; check the secret"
            ),
            (count, true) => write!(
                f,
                "{count} rejected in a row after others verified; the requests may be forged, \
                 or the service uses a new secret"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_and_keep_the_other_parts() {
        for flags in [0, EVER_VERIFIED, COUNTS_RESPONSES] {
            for own in [0, 1, MAX_COUNT] {
                let state = flags | own << AFTER_VERIFICATION | MAX_COUNT;
                let full = FailureCounter {
                    state: AtomicU32::new(state),
                };
                for after_verification in [false, true] {
                    let consecutive = full.record_failure(after_verification);
                    assert_eq!(consecutive, ConsecutiveFailures(state));
                }
            }
        }
    }
}
