//! The clock of a client.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The clock that a client uses for total timeouts and for waits between attempts.
///
/// Tests set their own with [`ClientBuilder::clock`](crate::ClientBuilder::clock), so that they do
/// not wait. The timeout of a single attempt does not use this clock.
///
/// ```
/// use std::future::Future;
/// use std::pin::Pin;
/// use std::sync::Mutex;
/// use std::time::{Duration, Instant, SystemTime};
///
/// use profile_sdk::{Client, Clock};
///
/// /// Advances instead of waiting.
/// #[derive(Default)]
/// struct SkippingClock {
///     skipped: Mutex<Duration>,
/// }
///
/// impl Clock for SkippingClock {
///     fn now(&self) -> Instant {
///         Instant::now() + *self.skipped.lock().unwrap()
///     }
///
///     fn date(&self) -> SystemTime {
///         SystemTime::now() + *self.skipped.lock().unwrap()
///     }
///
///     fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         *self.skipped.lock().unwrap() += duration;
///         Box::pin(std::future::ready(()))
///     }
/// }
///
/// let client = Client::builder()
///     .base_url("http://localhost:8080")
///     .clock(SkippingClock::default())
///     .jitter(|| 0.5)
///     .build()?;
/// # Ok::<(), profile_sdk::Error>(())
/// ```
pub trait Clock: Send + Sync {
    /// Returns a monotonic time.
    fn now(&self) -> Instant;

    /// Returns the system time. It is compared with dates in a response that has no `Date` header.
    fn date(&self) -> SystemTime;

    /// Completes after a duration. Dropping the future cancels the wait.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Receives `true` when an attempt of a client with this clock starts, and `false` when it ends or is
    /// canceled. Does nothing by default.
    fn attempt(&self, is_in_flight: bool) {
        let _ = is_in_flight;
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Instant {
        (**self).now()
    }

    fn date(&self) -> SystemTime {
        (**self).date()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        (**self).sleep(duration)
    }

    fn attempt(&self, is_in_flight: bool) {
        (**self).attempt(is_in_flight);
    }
}

/// Reports the start and the end of an attempt to the clock.
pub(crate) struct InFlight<'a>(&'a Arc<dyn Clock>);

impl<'a> InFlight<'a> {
    pub(crate) fn new(clock: &'a Arc<dyn Clock>) -> Self {
        clock.attempt(true);
        Self(clock)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.attempt(false);
    }
}

/// The default clock of a client: that of the system, or of the tokio runtime if its time is paused.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn date(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::pacing::clock::{Clock as _, SystemClock};

    #[tokio::test(start_paused = true)]
    async fn system_clock_follows_a_paused_runtime() {
        const HOUR: Duration = Duration::from_secs(3600);
        let before = SystemClock.now();
        SystemClock.sleep(HOUR).await;
        assert!(SystemClock.now() - before >= HOUR);
    }
}
