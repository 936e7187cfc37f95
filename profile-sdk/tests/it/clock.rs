//! A clock by which every wait is over at once.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use profile_sdk::Clock;

/// Skips what it is asked to wait for, and remembers it.
#[derive(Clone, Default)]
pub(crate) struct SkippingClock {
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl SkippingClock {
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

impl Clock for SkippingClock {
    fn now(&self) -> Instant {
        Instant::now() + self.skipped()
    }

    fn date(&self) -> SystemTime {
        SystemTime::now() + self.skipped()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.skip(duration);
        Box::pin(ready(()))
    }
}
