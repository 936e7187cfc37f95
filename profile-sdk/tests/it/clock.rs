//! A clock whose waits end at once.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use profile_sdk::Clock;

/// A clock that only advances by the waits, which end at once, and records them.
#[derive(Clone)]
pub(crate) struct SkippingClock {
    started: (Instant, SystemTime),
    waits: Arc<Mutex<Vec<Duration>>>,
    /// The additional duration of each wait.
    lateness: Duration,
}

impl SkippingClock {
    /// Creates a clock whose waits take longer than requested, as on a busy machine.
    pub(crate) fn waking_late_by(lateness: Duration) -> Self {
        Self {
            lateness,
            ..Self::default()
        }
    }

    /// Returns all waits so far, in order.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    /// Advances the clock.
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
