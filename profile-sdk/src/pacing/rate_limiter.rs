//! The queue of the requests of a key.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::error::Error;
use crate::pacing::rate_limit_state::{RateLimitState, Start, Turn};
use crate::pacing::{Clock, RateLimitStatus};

const PAUSED: &str = "rate limit exceeded; the request was not sent";

const LATE: &str = "the request was not sent, because earlier requests delay it beyond the total timeout \
                    of the call";

const TOO_LONG_INTERVAL: &str = "the request was not sent, because the request interval of the client \
                                 delays it beyond the total timeout of the call";

/// The queue of a key's requests, which are sent as fast as its rate limit allows.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    queue: Mutex<Queue>,
    /// The queue of the first requests of all accounts, if they have a minimum interval in common.
    pub(super) shared: Option<Arc<Mutex<Queue>>>,
}

/// The limits of a request in the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitLimits {
    pub(crate) deadline: Instant,
    pub(crate) max_wait: Duration,
}

/// The permit to send one request.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    /// `None` if the request has ended.
    limiter: Option<&'a RateLimiter>,
    started: Start,
}

impl RateLimiter {
    pub(crate) fn new(interval: Duration, shared: Option<Arc<Mutex<Queue>>>) -> Self {
        let queue = Queue::new(interval, !interval.is_zero() || shared.is_some());
        Self { queue, shared }
    }

    /// Returns a permit if the request need not wait.
    pub(crate) fn try_acquire(&self, now: Instant, limits: WaitLimits) -> Option<Permit<'_>> {
        self.try_start(now, limits, None, &mut None).ok()
    }

    /// Waits until the request can be sent, and reports each wait. Returns the permit and the time then, or an error if the
    /// wait is too long.
    pub(crate) async fn acquire(
        &self,
        clock: &dyn Clock,
        limits: WaitLimits,
        report: impl Fn(Duration),
    ) -> Result<(Permit<'_>, Instant), Error> {
        let id = lock(&self.queue).enter();
        let queue = &self.queue;
        let (own, mut shared) = (Place { queue, id }, None);
        let (mut reported, mut answered) = (clock.now(), None);
        // For the system clock, which is that of tokio. A test clock skips time only for the first call.
        let end = Start::now() + limits.left(reported);
        loop {
            let now = clock.now();
            let (turn, before) = match self.try_start(now, limits, Some(&own), &mut shared) {
                Ok(permit) => return Ok((permit, now)),
                Err(obstacle) => obstacle,
            };
            limits.check(turn, now, self.status(now).paused_for)?;
            let wait = turn.wait();
            let Some((first, count)) = before else {
                let waiting: Sleep = match turn {
                    Turn::Ready | Turn::Response(_) => Box::pin(sleep(wait.min(limits.left(now)))),
                    Turn::Paused(_) | Turn::Exhausted(_) | Turn::Interval(_) => {
                        // A pause was reported after the 429.
                        if !matches!(turn, Turn::Paused(_)) && now + wait > reported {
                            report(wait);
                            reported = now + wait;
                        }
                        clock.sleep(wait)
                    }
                };
                wait_for(waiting, &own, shared.as_ref()).await;
                continue;
            };
            // The first call is woken when this one comes, and when it should have started: it may not be polled.
            let is_asked = answered != Some(first);
            let mut wait = wait.saturating_add(PATIENCE.saturating_mul(count));
            if is_asked {
                let Place { queue, id } = shared.as_ref().unwrap_or(&own);
                wake_first(lock(queue), *id);
                wait = PATIENCE;
            }
            let left = end.saturating_duration_since(Start::now());
            if wait_for(Box::pin(sleep(wait.min(left))), &own, shared.as_ref()).await {
                answered = is_asked.then_some(first);
                if wait >= left {
                    return Err(Error::delayed(LATE, None));
                }
            }
        }
    }

    pub(crate) fn pause_left(&self, now: Instant) -> Option<Duration> {
        lock(&self.queue).state.pause_left(now)
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        lock(&self.queue).state.status(now)
    }

    /// Starts the request if it is its turn and the deadline has not passed. A waiting call is also in the shared
    /// queue while it is the first of its account and only the other accounts keep it from starting.
    fn try_start<'a>(
        &'a self,
        now: Instant,
        limits: WaitLimits,
        own: Option<&Place<'_>>,
        shared: &mut Option<Place<'a>>,
    ) -> Result<Permit<'a>, Obstacle> {
        let id = |place: Option<&Place<'_>>| place.map_or(u64::MAX, |place| place.id);
        let max_wait = limits.left(now).min(limits.max_wait);
        let mut queue = lock(&self.queue);
        let obstacle = queue.obstacle(id(own), now, max_wait);
        if obstacle.is_some() || now >= limits.deadline {
            drop(queue);
            *shared = None;
            return Err(obstacle.unwrap_or_default());
        }
        if let Some(all) = &self.shared {
            let mut accounts = lock(all);
            if let Some(obstacle) = accounts.obstacle(id(shared.as_ref()), now, max_wait) {
                if own.is_some() && shared.is_none() {
                    let id = accounts.enter();
                    *shared = Some(Place { queue: all, id });
                }
                return Err(obstacle);
            }
            // Only the interval between the starts counts.
            let started = accounts.state.start(now);
            accounts.state.finish(started);
        }
        Ok(Permit {
            limiter: Some(self),
            started: queue.state.start(now),
        })
    }
}

/// A wait for a time.
type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Waits for a future, or until a call in these places is woken. Returns `true` if the future completed.
async fn wait_for(mut waiting: Sleep, own: &Place<'_>, shared: Option<&Place<'_>>) -> bool {
    poll_fn(|context| {
        let waker = context.waker();
        let is_woken = own.is_woken(waker) | shared.is_some_and(|place| place.is_woken(waker));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if is_woken => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

impl WaitLimits {
    fn left(self, now: Instant) -> Duration {
        self.deadline.saturating_duration_since(now)
    }

    /// Returns an error if a wait is too long. After a pause, calls are sent even if the service requests a longer
    /// wait.
    fn check(self, turn: Turn, now: Instant, paused_for: Option<Duration>) -> Result<(), Error> {
        let left = self.left(now);
        match turn {
            Turn::Paused(wait) if wait > self.max_wait || wait >= left => {
                Err(Error::delayed(PAUSED, paused_for))
            }
            Turn::Interval(wait) if wait >= left => {
                Err(Error::delayed(TOO_LONG_INTERVAL, Some(wait)))
            }
            Turn::Ready
            | Turn::Paused(_)
            | Turn::Exhausted(_)
            | Turn::Response(_)
            | Turn::Interval(_) => match left.is_zero() {
                true => Err(Error::delayed(LATE, None)),
                false => Ok(()),
            },
        }
    }
}

impl Permit<'_> {
    /// Ends the request and updates the rate limit from its response.
    pub(crate) fn finish(mut self, update: impl FnOnce(&mut RateLimitState, Start)) {
        self.end(|state, started| {
            state.answered(started);
            update(state, started);
        });
    }

    fn end(&mut self, update: impl FnOnce(&mut RateLimitState, Start)) {
        let Some(limiter) = self.limiter.take() else {
            return;
        };
        let mut queue = lock(&limiter.queue);
        queue.state.finish(self.started);
        update(&mut queue.state, self.started);
        wake_first(queue, u64::MAX);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.end(|_, _| {});
    }
}

/// The time in which a waiting call that was woken has to be polled. Then it does not delay the others until it is
/// polled again.
const PATIENCE: Duration = Duration::from_millis(20);

/// A rate limit and the calls that wait for it.
#[derive(Debug)]
pub(crate) struct Queue {
    state: RateLimitState,
    /// `true` if calls start in the order in which they came, even if all of them can start.
    takes_turns: bool,
    /// In the order of their IDs.
    waiting: VecDeque<Waiting>,
    last_id: u64,
}

#[derive(Debug, Default)]
struct Waiting {
    id: u64,
    waker: Option<Waker>,
    /// The time at which the call was woken, if it was not polled since.
    woken: Option<Start>,
}

/// The reason why a call cannot start: its turn, and the ID of the first call before it with the number of those.
type Obstacle = (Turn, Option<(u64, u32)>);

impl Queue {
    pub(super) fn new(interval: Duration, takes_turns: bool) -> Mutex<Self> {
        Mutex::new(Self {
            state: RateLimitState::new(interval),
            takes_turns,
            waiting: VecDeque::new(),
            last_id: 0,
        })
    }

    /// Returns the reason why a call with this ID cannot start, if there is one. Unless the calls take turns, it does not
    /// wait for those before it while all of them can start.
    fn obstacle(&mut self, id: u64, now: Instant, max_wait: Duration) -> Option<Obstacle> {
        let turn = self.state.turn(now, max_wait);
        let place = u32::try_from(self.place(id)).unwrap_or(u32::MAX);
        if turn == Turn::Ready && !self.takes_turns && u64::from(place) < self.state.room() {
            return None;
        }
        let first = self.first_before(id).map(|call| call.id);
        let before = first.map(|first| (first, place));
        (turn != Turn::Ready || before.is_some()).then_some((turn, before))
    }

    fn enter(&mut self) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.waiting.push_back(Waiting {
            id,
            ..Waiting::default()
        });
        id
    }

    fn place(&self, id: u64) -> usize {
        self.waiting.partition_point(|call| call.id < id)
    }

    /// Returns the first call that may be polled.
    fn first_before(&mut self, id: u64) -> Option<&mut Waiting> {
        let mut before = self.waiting.iter_mut().take_while(|call| call.id < id);
        before.find(|call| call.woken.is_none_or(|woken| woken.elapsed() < PATIENCE))
    }
}

/// The place of a call in a queue, which it leaves when this is dropped.
struct Place<'a> {
    queue: &'a Mutex<Queue>,
    id: u64,
}

impl Place<'_> {
    /// Registers that the call is polled. Returns `true` if it was woken.
    fn is_woken(&self, waker: &Waker) -> bool {
        let mut queue = lock(self.queue);
        let place = queue.place(self.id);
        let call = &mut queue.waiting[place];
        call.waker = Some(waker.clone());
        call.woken.take().is_some()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queue = lock(self.queue);
        let place = queue.place(self.id);
        queue.waiting.remove(place);
        wake_first(queue, u64::MAX);
    }
}

/// Wakes the first of the calls before this one, after it has unlocked the queue.
fn wake_first(mut queue: MutexGuard<'_, Queue>, id: u64) {
    let waker = queue.first_before(id).and_then(|first| {
        first.woken.get_or_insert_with(Start::now);
        first.waker.take()
    });
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Every update is complete before it can panic, so the state is valid.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
