//! The calls that wait for a rate limit, in order.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::pacing::rate_limit_state::{RateLimitState, Start, Turn};

/// The time in which a waiting call that was woken has to be polled. Then it does not delay the others until it is
/// polled again.
pub(super) const PATIENCE: Duration = Duration::from_millis(20);

/// A rate limit and the calls that wait for it.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(super) state: RateLimitState,
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
pub(super) type Obstacle = (Turn, Option<(u64, u32)>);

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
    pub(super) fn obstacle(
        &mut self,
        id: u64,
        now: Instant,
        max_wait: Duration,
    ) -> Option<Obstacle> {
        let turn = self.state.turn(now, max_wait);
        let place = u32::try_from(self.place(id)).unwrap_or(u32::MAX);
        if turn == Turn::Ready && !self.takes_turns && u64::from(place) < self.state.room() {
            return None;
        }
        let first = self.first_before(id).map(|call| call.id);
        let before = first.map(|first| (first, place));
        (turn != Turn::Ready || before.is_some()).then_some((turn, before))
    }

    pub(super) fn enter(&mut self) -> u64 {
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
pub(super) struct Place<'a> {
    pub(super) queue: &'a Mutex<Queue>,
    pub(super) id: u64,
}

impl Place<'_> {
    /// Registers that the call is polled. Returns `true` if it was woken.
    pub(super) fn is_woken(&self, waker: &Waker) -> bool {
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
pub(super) fn wake_first(mut queue: MutexGuard<'_, Queue>, id: u64) {
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
pub(super) fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
