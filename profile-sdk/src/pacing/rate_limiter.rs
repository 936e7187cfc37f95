//! The queue of the requests of a key.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::pacing::Clock;
use crate::pacing::rate_limit_state::{RateLimitState, Turn};
use crate::{Error, RateLimitStatus};

/// Sends the requests of a key in order, as fast as its rate limit allows.
///
/// Only the first request in the queue waits for a time; the others wait for their turn.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    state: Mutex<State>,
    /// Locked by the first request in the queue. The others wait for the lock in order.
    queue: tokio::sync::Mutex<()>,
    /// Wakes the first request in the queue.
    changed: Notify,
    /// Wakes all requests in the queue.
    limit_changed: Notify,
}

#[derive(Debug)]
struct State {
    rate_limit: RateLimitState,
    /// The numbers of the requests in the queue, in order.
    waiting: VecDeque<u64>,
    next_number: u64,
}

/// The limits of a request in the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
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
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            state: Mutex::new(State {
                rate_limit: RateLimitState::new(interval),
                waiting: VecDeque::new(),
                next_number: 0,
            }),
            queue: tokio::sync::Mutex::new(()),
            changed: Notify::new(),
            limit_changed: Notify::new(),
        }
    }

    /// Returns a permit if the request need not wait.
    pub(crate) fn try_acquire(&self, now: Instant, patience: Patience) -> Option<Permit<'_>> {
        let mut state = self.lock();
        let is_ready = state.waiting.is_empty() && state.turn(now, patience) == Turn::Ready;
        is_ready.then(|| self.permit(&mut state, now))
    }

    /// Waits until the request can be sent. Returns the permit and the time then, or an error as
    /// soon as it is certain that the wait would be too long.
    pub(crate) async fn acquire(
        &self,
        clock: &dyn Clock,
        patience: Patience,
    ) -> Result<(Permit<'_>, Instant), Error> {
        let now = clock.now();
        let place = self.join_queue(now, patience)?;
        // The timeout is for the system clock, which is the clock of tokio. A test clock skips time
        // only for the first request in the queue, which then checks the deadline below.
        let mut first = pin!(timeout(patience.left(now), self.queue.lock()));
        let first = loop {
            let limit_changed = self.limit_changed.notified();
            place.check(clock.now(), patience)?;
            if let Some(first) = either(first.as_mut(), limit_changed).await {
                break first;
            }
        };
        let _first = first.map_err(|_| Error::queue_exceeds_deadline())?;
        loop {
            let now = clock.now();
            let turn = {
                let mut state = self.lock();
                let turn = state.turn(now, patience);
                if turn == Turn::Ready && now < patience.deadline {
                    let permit = self.permit(&mut state, now);
                    drop(state);
                    drop(place);
                    return Ok((permit, now));
                }
                turn
            };
            patience.check(turn, now)?;
            let changed = self.changed.notified();
            match turn {
                Turn::Ready => {}
                Turn::Held(wait) | Turn::Exhausted(wait) | Turn::Interval(wait) => {
                    either(clock.sleep(wait), changed).await;
                }
                Turn::Response => _ = timeout(patience.left(now), changed).await,
            }
        }
    }

    pub(crate) fn clear_hold(&self) {
        self.lock().rate_limit.clear_hold();
        self.changed.notify_one();
    }

    pub(crate) fn held(&self, now: Instant) -> Option<Duration> {
        self.lock().rate_limit.held(now)
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        self.lock().rate_limit.status(now)
    }

    fn join_queue(&self, now: Instant, patience: Patience) -> Result<Place<'_>, Error> {
        let mut state = self.lock();
        if let Some(wait) = state.rate_limit.held(now) {
            patience.check(Turn::Held(wait), now)?;
        }
        let number = state.next_number;
        state.next_number += 1;
        state.waiting.push_back(number);
        Ok(Place {
            limiter: self,
            number,
        })
    }

    fn permit(&self, state: &mut State, now: Instant) -> Permit<'_> {
        Permit {
            limiter: self,
            window: state.rate_limit.start(now),
            is_finished: false,
        }
    }

    /// Every update is complete before it can panic, so the state is valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn turn(&mut self, now: Instant, patience: Patience) -> Turn {
        let left = patience.left(now).min(patience.max_wait);
        self.rate_limit.turn(now, left)
    }
}

impl Patience {
    fn left(self, now: Instant) -> Duration {
        self.deadline.saturating_duration_since(now)
    }

    /// Returns an error if a wait is too long.
    fn check(self, turn: Turn, now: Instant) -> Result<(), Error> {
        let left = self.left(now);
        match turn {
            Turn::Held(wait) if wait > self.max_wait || wait >= left => {
                Err(Error::rate_limited(wait))
            }
            Turn::Interval(wait) if wait >= left => Err(Error::interval_exceeds_deadline(wait)),
            Turn::Exhausted(wait) if wait >= left => {
                Err(Error::queue_exceeds_deadline().with_retry_after(Some(wait)))
            }
            _ if left.is_zero() => Err(Error::queue_exceeds_deadline()),
            _ => Ok(()),
        }
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
        state.rate_limit.finish();
        let known = state.rate_limit.known_limit();
        update(&mut state.rate_limit);
        if !state.waiting.is_empty() {
            if state.rate_limit.known_limit() != known {
                self.limiter.limit_changed.notify_waiters();
            }
            self.limiter.changed.notify_one();
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.end(|_| {});
        }
    }
}

/// A place in the queue.
struct Place<'a> {
    limiter: &'a RateLimiter,
    number: u64,
}

impl Place<'_> {
    /// Returns an error if it is certain that the request cannot be sent in time.
    fn check(&self, now: Instant, patience: Patience) -> Result<(), Error> {
        let state = self.limiter.lock();
        let ahead = state.waiting.partition_point(|other| *other < self.number);
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        patience.check(state.rate_limit.min_wait(now, ahead), now)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.limiter.lock();
        if let Ok(ahead) = state.waiting.binary_search(&self.number) {
            state.waiting.remove(ahead);
        }
    }
}

/// Returns the output of the first future, or `None` if the other one completes before it.
async fn either<T>(first: impl Future<Output = T>, other: impl Future<Output = ()>) -> Option<T> {
    let (mut first, mut other) = (pin!(first), pin!(other));
    poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => other.as_mut().poll(context).map(|()| None),
    })
    .await
}
