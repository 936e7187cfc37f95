//! A clock that stands still but for the waits, which are over at once.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use profile_sdk::Clock;

/// Skips what it is asked to wait for, and remembers it.
#[derive(Clone)]
pub(crate) struct SkippingClock {
    started: (Instant, SystemTime),
    waits: Arc<Mutex<Vec<Duration>>>,
    /// How much longer than asked each wait takes.
    lateness: Duration,
}

impl SkippingClock {
    /// One whose waits take this much longer than asked, as those of a busy machine do.
    pub(crate) fn waking_late_by(lateness: Duration) -> Self {
        Self {
            lateness,
            ..Self::default()
        }
    }

    /// Every wait so far, in order.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    /// Lets this time pass.
    pub(crate) fn skip(&self, duration: Duration) {
        self.waits.lock().unwrap().push(duration);
    }

    fn skipped(&self) -> Duration {
        self.waits.lock().unwrap().iter().sum()
    }
}

impl Default for SkippingClock {
    fn default() -> Self {
        Self {
            started: (Instant::now(), SystemTime::now()),
            waits: Arc::default(),
            lateness: Duration::ZERO,
        }
    }
}

impl Clock for SkippingClock {
    fn now(&self) -> Instant {
        self.started.0 + self.skipped()
    }

    fn date(&self) -> SystemTime {
        self.started.1 + self.skipped()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.skip(duration + self.lateness);
        Box::pin(ready(()))
    }
}
