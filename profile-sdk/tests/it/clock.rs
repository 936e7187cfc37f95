//! A clock whose waits end at once.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant, SystemTime};

use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{Client, Clock};

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

#[tokio::test]
async fn clones_of_a_clock_and_of_a_jitter_can_be_set() {
    let service = MockServer::start().await;
    let fault = FaultRule::new(Fault::status(503)).times(1);
    service.add_fault(fault).unwrap();
    let clock = SkippingClock::default();
    let jitter: Arc<dyn Fn() -> f64 + Send + Sync> = Arc::new(|| 0.5);
    let client = Client::builder()
        .base_url(service.uri())
        .clock(clock.clone())
        .jitter(move || jitter())
        .build()
        .unwrap();
    client.badges().await.unwrap();
    assert_eq!(clock.waits(), [Duration::from_millis(50)]);
}

#[tokio::test(start_paused = true)]
async fn a_blocking_task_keeps_paused_time_from_advancing() {
    let service = MockServer::start().await;
    let client = Client::builder().base_url(service.uri()).build().unwrap();
    let (stop, stopped) = mpsc::channel::<()>();
    let waiting = tokio::task::spawn_blocking(move || stopped.recv());
    for _ in 0..3 {
        client.badges().await.unwrap();
    }
    drop(stop);
    waiting.await.unwrap().unwrap_err();
}
