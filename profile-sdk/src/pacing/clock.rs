//! The clock that a client waits by.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant, SystemTime};

/// The clock by which a client measures a call's total time and waits between attempts.
///
/// Tests bring their own with [`ClientBuilder::clock`](crate::ClientBuilder::clock), so that none
/// of them waits. The timeout of a single attempt is not by this clock, since it is about the
/// network.
///
/// ```
/// use std::future::Future;
/// use std::pin::Pin;
/// use std::sync::Mutex;
/// use std::time::{Duration, Instant, SystemTime};
///
/// use profile_sdk::{Client, Clock};
///
/// /// Every wait is over at once, and the clock shows that it has been.
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
    /// An instant that never lies before an earlier one.
    fn now(&self) -> Instant;

    /// The time of day, against which a date in a response is read when the response itself is not
    /// dated.
    fn date(&self) -> SystemTime;

    /// Completes after this time. Dropping it early leaves nothing behind.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The machine's clock; under a paused tokio runtime, that of the runtime.
pub(crate) struct SystemClock;

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

    use super::{Clock as _, SystemClock};

    #[tokio::test(start_paused = true)]
    async fn the_system_s_clock_keeps_to_the_runtime_s() {
        const HOUR: Duration = Duration::from_secs(3600);
        let before = SystemClock.now();
        SystemClock.sleep(HOUR).await;
        assert!(SystemClock.now() - before >= HOUR);
    }
}
