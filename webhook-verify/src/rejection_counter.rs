//! Counting of consecutive rejections.

use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::signature::VerifyError;

/// The number of consecutive failed deliveries after which the service turns the webhook off.
/// (Specification: Limits.)
pub const MAX_CONSECUTIVE_FAILURES: u32 = 10;

/// Set if a delivery has ever verified. The other bits count the consecutive rejections.
const EVER_VERIFIED: u32 = !(u32::MAX >> 1);

/// A counter of consecutive rejections, which can be shared between threads.
///
/// The service turns a webhook off after [`MAX_CONSECUTIVE_FAILURES`]. The counter distinguishes a
/// misconfigured secret (nothing ever verified) from forged requests. It also counts forged
/// requests, so its count differs from that of the service.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Headers, RejectionCounter, Verifier};
///
/// static REJECTIONS: RejectionCounter = RejectionCounter::new();
///
/// fn receive(verifier: &Verifier, headers: Headers<'_>, body: &[u8]) -> u16 {
///     let result = verifier.verify(headers, body);
///     let consecutive = REJECTIONS.count(&result);
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
pub struct RejectionCounter {
    state: AtomicU32,
}

impl RejectionCounter {
    /// Creates a counter at 0.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
        }
    }

    /// Counts the result of a verification and returns the new number: an error adds to it, a
    /// success resets it.
    pub fn count<T>(&self, result: &Result<T, VerifyError>) -> ConsecutiveRejections {
        match result {
            Ok(_) => self.record_success(),
            Err(_) => self.record_rejection(),
        }
    }

    /// Returns the current number.
    #[must_use]
    pub fn consecutive(&self) -> ConsecutiveRejections {
        ConsecutiveRejections(self.state.load(Relaxed))
    }

    pub(crate) fn record_success(&self) -> ConsecutiveRejections {
        self.state.store(EVER_VERIFIED, Relaxed);
        ConsecutiveRejections(EVER_VERIFIED)
    }

    /// Saturates, so that the count does not overflow into the highest bit.
    pub(crate) fn record_rejection(&self) -> ConsecutiveRejections {
        let next = |state: u32| match state | EVER_VERIFIED {
            u32::MAX => state,
            _ => state + 1,
        };
        let update = |state| Some(next(state));
        let before = self.state.fetch_update(Relaxed, Relaxed, update);
        ConsecutiveRejections(next(before.unwrap_or_else(|state| state)))
    }
}

/// A number of consecutive rejections.
///
/// The `Display` output is for logs and names the likely cause.
///
/// # Examples
///
/// ```
/// use webhook_verify::{RejectionCounter, VerifyError};
///
/// let consecutive = RejectionCounter::new().count(&Err::<(), _>(VerifyError::SignatureMissing));
/// assert_eq!(
///     consecutive.to_string(),
///     "1 rejected in a row, none ever verified; check the secret"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsecutiveRejections(u32);

impl ConsecutiveRejections {
    /// Returns the number of rejections since the last delivery that verified, or since the start.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0 & !EVER_VERIFIED
    }

    /// Returns `true` if any delivery was verified. If not, the secret is probably wrong; otherwise,
    /// the rejected requests are probably forged.
    #[must_use]
    pub fn ever_verified(self) -> bool {
        self.0 & EVER_VERIFIED != 0
    }
}

impl fmt::Display for ConsecutiveRejections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.count(), self.ever_verified()) {
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
    fn count_saturates_and_keeps_ever_verified() {
        for state in [u32::MAX, !EVER_VERIFIED] {
            let full = RejectionCounter {
                state: AtomicU32::new(state),
            };
            assert_eq!(full.record_rejection(), ConsecutiveRejections(state));
        }
    }
}
