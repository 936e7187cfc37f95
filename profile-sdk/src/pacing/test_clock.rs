//! A clock for tests; feature `testing`.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::pacing::Clock;

/// A clock that advances instead of waiting, so that retries and rate limits take no time in tests.
///
/// Clones share their time. The timeout of a single attempt does not use this clock.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use mock_server::{Fault, FaultRule, MockServer};
/// use profile_sdk::Client;
/// use profile_sdk::testing::TestClock;
///
/// let service = MockServer::start().await;
/// service.add_fault(FaultRule::new(Fault::status(503)).times(2))?;
/// let clock = TestClock::new();
/// let client = Client::builder()
///     .base_url(service.uri())
///     .clock(clock.clone())
///     .jitter(|| 1.0)
///     .build()?;
/// client.site_stats().await?;
/// assert_eq!(clock.waits(), [Duration::from_millis(100), Duration::from_millis(200)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TestClock {
    started: (Instant, SystemTime),
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    elapsed: Duration,
    waits: Vec<Duration>,
}

impl TestClock {
    /// Creates a clock that starts at the current time.
    #[must_use]
    pub fn new() -> Self {
        Self {
            started: (Instant::now(), SystemTime::now()),
            state: Arc::default(),
        }
    }

    /// Advances the clock.
    pub fn advance(&self, duration: Duration) {
        self.state().elapsed += duration;
    }

    /// Returns the time since the clock was created: all waits, and what
    /// [`advance`](Self::advance) added.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.state().elapsed
    }

    /// Returns all waits of the client so far, in order.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        self.state().waits.clone()
    }

    /// The state is valid even if another thread panicked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        self.started.0 + self.elapsed()
    }

    fn date(&self) -> SystemTime {
        self.started.1 + self.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let clock = self.clone();
        Box::pin(async move {
            let mut state = clock.state();
            state.elapsed += duration;
            state.waits.push(duration);
        })
    }
}
