//! The queue of the requests of a key.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::error::Error;
use crate::pacing::rate_limit_state::{RateLimitState, Turn, left};
use crate::pacing::{Clock, PacingSettings, RateLimitStatus};

const LATE: &str = "the request was not sent, because earlier requests delay it beyond the total timeout \
                    of the call";

const TOO_LONG_INTERVAL: &str = "the request was not sent, because the request interval of the client \
                                 delays it beyond the total timeout of the call";

/// The queue of a key's requests, which are sent as fast as its rate limit allows.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    state: Mutex<RateLimitState>,
    /// Locked by the first request in the queue. The others wait for the lock in order.
    queue: tokio::sync::Mutex<()>,
    /// Wakes the first request in the queue.
    changed: Notify,
    /// The minimum interval between the starts of two requests of all accounts.
    shared_interval: Duration,
    pub(super) next_start: Arc<NextStart>,
}

/// The earliest next start of a request of any account. The first requests of all queues wait for the lock in
/// order; one has it until it starts or has to wait for something else.
pub(crate) type NextStart = tokio::sync::Mutex<Option<Instant>>;

/// The lock of [`NextStart`].
type Slot<'a> = tokio::sync::MutexGuard<'a, Option<Instant>>;

/// The limits of a request in the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitLimits {
    pub(crate) deadline: Instant,
    pub(crate) max_wait: Duration,
}

/// The permit to send one request.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    limiter: &'a RateLimiter,
    window: u64,
    is_finished: bool,
}

impl RateLimiter {
    pub(crate) fn new(settings: &PacingSettings, next_start: Arc<NextStart>) -> Self {
        Self {
            state: Mutex::new(RateLimitState::new(settings.request_interval)),
            shared_interval: settings.shared_request_interval,
            next_start,
            queue: tokio::sync::Mutex::new(()),
            changed: Notify::new(),
        }
    }

    /// Returns a permit if the request need not wait.
    pub(crate) fn try_acquire(&self, now: Instant, limits: WaitLimits) -> Option<Permit<'_>> {
        let _first = self.queue.try_lock().ok()?;
        self.try_start(now, limits, &mut None).ok()
    }

    /// Waits until the request can be sent, and reports each wait. Returns the permit and the time then, or an error if the
    /// wait is too long.
    pub(crate) async fn acquire(
        &self,
        clock: &dyn Clock,
        limits: WaitLimits,
        report: impl Fn(Duration),
    ) -> Result<(Permit<'_>, Instant), Error> {
        let now = clock.now();
        let paused_for = || self.status(now).paused_for;
        if let Some(wait) = self.pause_left(now) {
            limits.check(Turn::Paused(wait), now, paused_for)?;
        }
        // The timeout is for the system clock, which is the clock of tokio. A test clock skips time
        // only for the first request in the queue, which then checks the deadline below.
        let first = timeout(limits.left(now), self.queue.lock()).await;
        let _first = first.map_err(|_| Error::delayed(LATE, None))?;
        let (mut slot, mut reported) = (None, now);
        loop {
            let now = clock.now();
            let turn = match self.try_start(now, limits, &mut slot) {
                Ok(permit) => return Ok((permit, now)),
                Err(turn) => turn,
            };
            limits.check(turn, now, || self.status(now).paused_for)?;
            let changed = self.changed.notified();
            match turn {
                Turn::Ready => {}
                Turn::Paused(wait) | Turn::Exhausted(wait) | Turn::Interval(wait) => {
                    // A pause was reported after the 429.
                    if !matches!(turn, Turn::Paused(_)) && now + wait > reported {
                        report(wait);
                        reported = now + wait;
                    }
                    let (mut sleep, mut changed) = (pin!(clock.sleep(wait)), pin!(changed));
                    poll_fn(|context| match sleep.as_mut().poll(context) {
                        Poll::Ready(()) => Poll::Ready(()),
                        Poll::Pending => changed.as_mut().poll(context),
                    })
                    .await;
                }
                Turn::Response => _ = timeout(limits.left(now), changed).await,
                Turn::OtherAccount => {
                    let next = async { slot = Some(self.next_start.lock().await) };
                    // Not until a response: leaving the queue for the lock would cost the place in it.
                    _ = timeout(limits.left(now), next).await;
                }
            }
        }
    }

    pub(crate) fn pause_left(&self, now: Instant) -> Option<Duration> {
        self.lock().pause_left(now)
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        self.lock().status(now)
    }

    /// Starts the request if it is its turn and the deadline has not passed. Otherwise, it only keeps the
    /// slot while it waits for the shared interval.
    fn try_start<'a>(
        &'a self,
        now: Instant,
        limits: WaitLimits,
        slot: &mut Option<Slot<'a>>,
    ) -> Result<Permit<'a>, Turn> {
        let mut state = self.lock();
        let turn = state.turn(now, limits.max_wait(now));
        if turn != Turn::Ready || now >= limits.deadline {
            *slot = None;
            return Err(turn);
        }
        self.start_shared(now, slot)?;
        Ok(Permit {
            limiter: self,
            window: state.start(now),
            is_finished: false,
        })
    }

    /// Takes the next start of all accounts, or returns what to wait for.
    fn start_shared<'a>(&'a self, now: Instant, slot: &mut Option<Slot<'a>>) -> Result<(), Turn> {
        if self.shared_interval.is_zero() {
            return Ok(());
        }
        if slot.is_none() {
            *slot = self.next_start.try_lock().ok();
        }
        let next_start = slot.as_mut().ok_or(Turn::OtherAccount)?;
        if let Some(wait) = left(**next_start, now) {
            return Err(Turn::Interval(wait));
        }
        **next_start = now.checked_add(self.shared_interval);
        Ok(())
    }

    /// Every update is complete before it can panic, so the state is valid.
    fn lock(&self) -> MutexGuard<'_, RateLimitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitLimits {
    fn left(self, now: Instant) -> Duration {
        self.deadline.saturating_duration_since(now)
    }

    fn max_wait(self, now: Instant) -> Duration {
        self.left(now).min(self.max_wait)
    }

    /// Returns an error if a wait is too long. After a pause, calls are sent even if the service requests a longer
    /// wait.
    fn check(
        self,
        turn: Turn,
        now: Instant,
        paused_for: impl Fn() -> Option<Duration>,
    ) -> Result<(), Error> {
        let left = self.left(now);
        let problem = match turn {
            Turn::Paused(wait) if wait > self.max_wait || wait >= left => Some((
                "rate limit exceeded; the request was not sent",
                paused_for(),
            )),
            Turn::Interval(wait) if wait >= left => Some((TOO_LONG_INTERVAL, Some(wait))),
            Turn::Ready
            | Turn::Paused(_)
            | Turn::Exhausted(_)
            | Turn::Interval(_)
            | Turn::OtherAccount
            | Turn::Response => left.is_zero().then_some((LATE, None)),
        };
        problem.map_or(Ok(()), |(reason, wait)| Err(Error::delayed(reason, wait)))
    }
}

impl Permit<'_> {
    /// Ends the request and updates the rate limit from its response.
    pub(crate) fn finish(mut self, update: impl FnOnce(&mut RateLimitState, u64)) {
        let window = self.window;
        self.end(|state| update(state, window));
    }

    fn end(&mut self, update: impl FnOnce(&mut RateLimitState)) {
        self.is_finished = true;
        let mut state = self.limiter.lock();
        state.finish();
        update(&mut state);
        self.limiter.changed.notify_one();
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.end(|_| {});
        }
    }
}
