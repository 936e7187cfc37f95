//! Decides when the next request of a key can be sent, from the responses so far.

use std::time::{Duration, Instant};

use crate::pacing::YEAR;
use crate::pacing::headers::RateLimitHeaders;

/// The state of the key's rate limit, from the latest responses that reported it.
///
/// Returned by [`Client::rate_limit`](crate::Client::rate_limit). The specification does not define
/// the headers, so every field can be `None`. (Specification: Limits.)
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimitStatus {
    /// The number of requests allowed per window.
    pub limit: Option<u64>,
    /// The number of requests left in the window after the latest response.
    pub remaining: Option<u64>,
    /// The time until the window ends, or `None` if it has ended.
    pub reset_after: Option<Duration>,
    /// The time that the service requested to wait after a 429, or `None` if it has passed.
    pub retry_after: Option<Duration>,
    /// The remaining pause of all requests after a 429: `retry_after`, but no longer than
    /// [`RetryPolicy::max_wait`](crate::RetryPolicy::max_wait). `None` if there is no pause.
    pub paused_for: Option<Duration>,
}

/// The requests in flight until the first responses arrive, so that a crowd does not exceed a limit
/// that is not known yet.
const INITIAL_IN_FLIGHT: u32 = 16;

/// The minimum time after which a request in flight no longer counts after a 429.
const MIN_PATIENCE: Duration = Duration::from_secs(1);

/// `State::max_in_flight` counts sixteenths of a request, so that it can grow slowly.
const UNITS_PER_REQUEST: u32 = 16;

/// The start of a request, which no other request has.
pub(super) type Start = tokio::time::Instant;

/// The state of the rate limit of a key.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RateLimitState {
    /// The minimum interval between two requests.
    interval: Duration,
    /// The earliest start of the next request because of the interval.
    next_at: Option<Instant>,
    limit: Option<u64>,
    remaining: Option<u64>,
    reset_at: Option<Instant>,
    /// The time at which the service allows the next request.
    retry_at: Option<Instant>,
    /// The time until which no request is sent. It is earlier than `retry_at` if that is far in the
    /// future, so that one unusual response does not block the client forever.
    paused_until: Option<Instant>,
    /// The number of pauses without a success in between.
    pauses: u32,
    /// The time of the first 429 without a success since.
    rejected_at: Option<Instant>,
    /// The wait that a later 429 without `Retry-After` starts with.
    learned_wait: Duration,
    /// The latest start of a request before the current window. It also changes when a pause starts, so that
    /// responses to earlier requests can be recognized.
    before_window: Option<Start>,
    /// The number of requests that can still be sent in the window, if the service reports it.
    available: Option<u64>,
    in_flight: u32,
    last_start: Option<Start>,
    /// The latest start of the requests that no longer count as in flight, because nobody may poll them.
    forgotten: Option<Start>,
    /// The longest time to a recent response.
    slowest: Duration,
    /// In units of [`UNITS_PER_REQUEST`].
    max_in_flight: u32,
    /// `true` after a 429 that the headers did not announce. They may describe another limit.
    is_cautious: bool,
}

/// The next step of a request that is first in the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Send it.
    #[default]
    Ready,
    /// Wait for the end of the pause after a 429.
    Paused(Duration),
    /// Wait for the next window.
    Exhausted(Duration),
    /// Wait for the response to another request, or until those in flight no longer count.
    Response(Duration),
    /// Wait for a minimum interval.
    Interval(Duration),
}

impl Turn {
    pub(super) fn wait(self) -> Duration {
        match self {
            Self::Ready => Duration::ZERO,
            Self::Paused(wait)
            | Self::Exhausted(wait)
            | Self::Response(wait)
            | Self::Interval(wait) => wait,
        }
    }
}

impl RateLimitState {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            interval,
            max_in_flight: INITIAL_IN_FLIGHT * UNITS_PER_REQUEST,
            ..Self::default()
        }
    }

    /// Returns the next step of the first request in the queue. Reported limits only delay it by up
    /// to `max_wait`; then one request at a time is sent, because only a 429 is definite.
    pub(crate) fn turn(&mut self, now: Instant, max_wait: Duration) -> Turn {
        if let Some(wait) = self.pause_left(now) {
            return Turn::Paused(wait);
        }
        self.end_window(now);
        let mut max_in_flight = self.max_in_flight / UNITS_PER_REQUEST;
        if self.available == Some(0) {
            match left(self.reset_at, now) {
                Some(wait) if wait < max_wait => return Turn::Exhausted(wait),
                _ => max_in_flight = 1,
            }
        }
        if self.in_flight >= max_in_flight {
            let patience = match max_in_flight < INITIAL_IN_FLIGHT {
                true => MIN_PATIENCE.max(self.slowest.saturating_mul(4)),
                false => YEAR,
            };
            let elapsed = self.last_start.map_or(YEAR, |start| start.elapsed());
            if elapsed < patience {
                return Turn::Response(patience - elapsed);
            }
            (self.in_flight, self.forgotten) = (0, self.last_start);
        }
        left(self.next_at, now).map_or(Turn::Ready, Turn::Interval)
    }

    /// Returns the number of requests that can start at once, without an interval between them.
    pub(crate) fn room(&self) -> u64 {
        let room = (self.max_in_flight / UNITS_PER_REQUEST).saturating_sub(self.in_flight);
        self.available.unwrap_or(u64::MAX).min(room.into())
    }

    /// Counts a request that is about to be sent. Returns its start.
    pub(crate) fn start(&mut self, now: Instant) -> Start {
        self.in_flight += 1;
        let after_last = self.last_start.map(|last| last + Duration::from_nanos(1));
        let start = after_last.map_or_else(Start::now, |after| after.max(Start::now()));
        self.last_start = Some(start);
        self.available = self.available.map(|available| available.saturating_sub(1));
        if !self.interval.is_zero() {
            self.next_at = now.checked_add(self.interval);
        }
        start
    }

    /// Counts the end of a request, with or without a response.
    pub(crate) fn finish(&mut self, started: Start) {
        if Some(started) > self.forgotten {
            self.in_flight = self.in_flight.saturating_sub(1);
        }
    }

    /// Records the time to a response.
    pub(crate) fn answered(&mut self, started: Start) {
        self.slowest = started.elapsed().max(self.slowest / 8 * 7);
    }

    /// Updates the state after a response that is not a 429.
    pub(crate) fn accept(
        &mut self,
        started: Start,
        headers: Option<RateLimitHeaders>,
        now: impl Fn() -> Instant,
    ) {
        if Some(started) <= self.before_window {
            return;
        }
        self.pauses = 0;
        if let Some(rejected_at) = self.rejected_at.take() {
            // Slightly shorter, to notice that the limit has changed. A long outage is not a limit.
            let wait = now().saturating_duration_since(rejected_at) / 16 * 15;
            self.learned_wait = wait.min(Duration::from_secs(1));
        }
        let growth = match self.is_cautious {
            true => 1,
            false => UNITS_PER_REQUEST,
        };
        self.max_in_flight = self.max_in_flight.saturating_add(growth);
        let Some(headers) = headers else { return };
        self.update(headers, now());
        if let (Some(available), false) = (self.available, self.is_cautious) {
            let known = u32::try_from(available).unwrap_or(u32::MAX);
            let known = known.saturating_add(self.in_flight);
            let known = known.saturating_mul(UNITS_PER_REQUEST);
            self.max_in_flight = self.max_in_flight.max(known);
        }
    }

    /// Updates the state after a 429: pauses all requests, then sends one at a time until a response
    /// reports how many there can be. The pause lasts at least `backoff` of the number of earlier
    /// pauses and at most `max_wait`. Without `Retry-After`, the first pause is about as long as the
    /// last pauses were together.
    pub(crate) fn reject(
        &mut self,
        started: Start,
        headers: Option<RateLimitHeaders>,
        retry_after: Option<Duration>,
        backoff: impl Fn(u32) -> Duration,
        max_wait: Duration,
        now: Instant,
    ) {
        if Some(started) <= self.before_window {
            // Another response has already started a pause or a window.
            if let Some(retry_after) = retry_after {
                self.pause(now, retry_after, max_wait);
            }
            return;
        }
        self.is_cautious |= match headers.and_then(|headers| headers.remaining) {
            Some(remaining) => remaining > 0,
            None => self.available.is_none(),
        };
        if let Some(headers) = headers {
            self.update(headers, now);
        }
        self.rejected_at.get_or_insert(now);
        let learned_wait = std::mem::take(&mut self.learned_wait).min(backoff(u32::MAX));
        let wait = retry_after.unwrap_or(learned_wait);
        let wait = wait.max(backoff(self.pauses));
        self.pause(now, wait, max_wait);
        self.pauses = self.pauses.saturating_add(1);
        self.start_window(None);
        self.max_in_flight = UNITS_PER_REQUEST;
    }

    /// Returns how long requests still pause after a 429, or `None` if they can be sent.
    pub(crate) fn pause_left(&self, now: Instant) -> Option<Duration> {
        let pause = left(self.paused_until, now)?;
        Some(left(self.retry_at, now).unwrap_or(pause))
    }

    pub(crate) fn status(&self, now: Instant) -> RateLimitStatus {
        RateLimitStatus {
            limit: self.limit,
            remaining: self.remaining,
            reset_after: left(self.reset_at, now),
            retry_after: left(self.retry_at, now),
            paused_for: left(self.paused_until, now),
        }
    }

    fn pause(&mut self, now: Instant, wait: Duration, max_wait: Duration) {
        self.retry_at = self.retry_at.max(now.checked_add(wait));
        let paused_until = now.checked_add(wait.min(max_wait));
        self.paused_until = self.paused_until.max(paused_until);
    }

    fn update(&mut self, headers: RateLimitHeaders, now: Instant) {
        self.limit = headers.limit.or(self.limit);
        self.remaining = headers.remaining.or(self.remaining);
        let Some(reset_after) = headers.reset_after else {
            return;
        };
        // Some services report the time until the limit is full again. Taking each new value would
        // extend the wait forever.
        let reset_at = self.reset_at.filter(|reset_at| *reset_at > now);
        let reset_at = reset_at.into_iter().chain(now.checked_add(reset_after));
        self.reset_at = reset_at.min();
        if let Some(remaining) = headers.remaining {
            // The service may not have counted the requests in flight yet.
            let unknown = || remaining.saturating_sub(u64::from(self.in_flight));
            let available = self.available.map(|available| available.min(remaining));
            self.available = Some(available.unwrap_or_else(unknown));
        }
    }

    /// Starts a new window if the current one has ended. After an exhausted one, the first response
    /// decides how many requests follow, because the clock of the service may differ.
    fn end_window(&mut self, now: Instant) {
        if self.reset_at.is_none_or(|reset_at| reset_at > now) {
            return;
        }
        if self.available == Some(0) {
            self.max_in_flight = UNITS_PER_REQUEST;
        }
        self.reset_at = None;
        self.start_window(self.limit);
    }

    fn start_window(&mut self, available: Option<u64>) {
        self.before_window = self.last_start;
        self.available = available;
    }
}

/// Returns the time until an instant, or `None` if it has passed.
pub(super) fn left(instant: Option<Instant>, now: Instant) -> Option<Duration> {
    let left = instant?.saturating_duration_since(now);
    (!left.is_zero()).then_some(left)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{RateLimitHeaders, RateLimitState, Turn};

    const SECOND: Duration = Duration::from_secs(1);
    const MAX_WAIT: Duration = Duration::from_secs(30);
    const RESPONSE: Turn = Turn::Response(Duration::ZERO);

    fn headers(limit: u64, remaining: u64, reset_after: Duration) -> Option<RateLimitHeaders> {
        Some(RateLimitHeaders {
            limit: Some(limit),
            remaining: Some(remaining),
            reset_after: Some(reset_after),
        })
    }

    /// Starts requests until one must wait. Returns their number and the next step.
    fn start_all(state: &mut RateLimitState, now: Instant) -> (u32, Turn) {
        for count in 0..1000 {
            match state.turn(now, MAX_WAIT) {
                Turn::Ready => _ = state.start(now),
                Turn::Response(_) => return (count, RESPONSE),
                turn => return (count, turn),
            }
        }
        (1000, Turn::Ready)
    }

    fn accept(state: &mut RateLimitState, headers: Option<RateLimitHeaders>, now: Instant) {
        let started = state.last_start.unwrap();
        state.finish(started);
        state.accept(started, headers, || now);
    }

    fn reject(state: &mut RateLimitState, retry_after: Duration, now: Instant) {
        let backoff = |pauses| pauses * SECOND;
        let started = state.last_start.unwrap();
        state.finish(started);
        state.reject(started, None, Some(retry_after), backoff, MAX_WAIT, now);
    }

    #[test]
    fn counts_the_requests_that_can_start() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        assert_eq!(state.room(), 16);
        state.start(now);
        assert_eq!(state.room(), 15);
        accept(&mut state, headers(100, 3, SECOND), now);
        assert_eq!(state.room(), 3);
        state.start(now);
        assert_eq!(state.room(), 2);
    }

    #[test]
    fn starts_slowly_until_the_limit_is_known() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        assert_eq!(start_all(&mut state, now), (16, RESPONSE));
        accept(&mut state, None, now);
        assert_eq!(start_all(&mut state, now), (2, RESPONSE));
        accept(&mut state, headers(100, 90, SECOND), now);
        // 16 requests are in flight.
        let exhausted = Turn::Exhausted(SECOND);
        assert_eq!(start_all(&mut state, now), (74, exhausted));
    }

    #[test]
    fn a_new_window_starts_with_one_request() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        state.start(now);
        accept(&mut state, headers(10, 0, SECOND), now);
        assert_eq!(start_all(&mut state, now), (0, Turn::Exhausted(SECOND)));
        let now = now + SECOND;
        assert_eq!(start_all(&mut state, now), (1, RESPONSE));
        accept(&mut state, headers(10, 5, SECOND), now);
        assert_eq!(start_all(&mut state, now), (5, Turn::Exhausted(SECOND)));
        let now = now + SECOND;
        assert_eq!(start_all(&mut state, now), (0, RESPONSE));
    }

    #[test]
    fn an_unused_window_ends_without_a_wait() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        state.start(now);
        accept(&mut state, headers(10, 9, SECOND), now);
        let (started, turn) = start_all(&mut state, now + SECOND);
        assert_eq!((started, turn), (10, RESPONSE));
    }

    #[test]
    fn a_reset_that_moves_does_not_extend_the_window() {
        let (mut state, mut now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        for _ in 0..50 {
            assert_eq!(state.turn(now, MAX_WAIT), Turn::Ready);
            state.start(now);
            accept(&mut state, headers(10, 9, 5 * SECOND), now);
            now += SECOND;
        }
    }

    #[test]
    fn sends_one_request_at_a_time_if_the_window_is_too_long() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        state.start(now);
        accept(&mut state, headers(10, 0, 100 * SECOND), now);
        assert_eq!(start_all(&mut state, now), (1, RESPONSE));
        accept(&mut state, headers(10, 0, 100 * SECOND), now);
        assert_eq!(start_all(&mut state, now), (1, RESPONSE));
    }

    #[test]
    fn grows_slowly_after_a_429_without_headers() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        state.start(now);
        reject(&mut state, 5 * SECOND, now);
        assert_eq!(start_all(&mut state, now), (0, Turn::Paused(5 * SECOND)));
        let now = now + 5 * SECOND;
        for accepted in 0..100 {
            assert_eq!(start_all(&mut state, now).1, RESPONSE);
            assert_eq!(state.in_flight, 1 + accepted / 16);
            accept(&mut state, None, now);
        }
    }

    #[test]
    fn repeated_rejections_pause_longer() {
        let (mut state, mut now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        for pauses in 1..5 {
            state.start(now);
            reject(&mut state, SECOND, now);
            let wait = SECOND * (pauses - 1).max(1);
            assert_eq!(state.pause_left(now), Some(wait));
            now += wait;
        }
        state.start(now);
        accept(&mut state, None, now);
        state.start(now);
        reject(&mut state, SECOND, now);
        assert_eq!(state.pause_left(now), Some(SECOND));
        // The next pause without `Retry-After` is slightly shorter than this one.
        now += SECOND;
        state.start(now);
        accept(&mut state, None, now - SECOND / 5);
        assert_eq!(state.learned_wait, SECOND * 4 / 5 / 16 * 15);
    }

    #[test]
    fn only_an_unannounced_rejection_makes_cautious() {
        for (remaining, is_cautious) in [(0, false), (1, true)] {
            let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
            let started = state.start(now);
            let headers = headers(10, remaining, SECOND);
            state.reject(started, headers, None, |_| SECOND, MAX_WAIT, now);
            assert_eq!(state.is_cautious, is_cautious);
        }
    }

    #[test]
    fn late_responses_do_not_change_a_new_window() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        let old = state.start(now);
        state.start(now);
        reject(&mut state, SECOND, now);
        state.accept(old, headers(10, 9, SECOND), || now);
        assert_eq!((state.available, state.limit), (None, None));
        let backoff = |_| -> Duration { unreachable!("the pause has already started") };
        state.reject(old, None, None, backoff, MAX_WAIT, now);
        assert_eq!(state.pause_left(now), Some(SECOND));
        state.reject(old, None, Some(2 * SECOND), backoff, MAX_WAIT, now);
        assert_eq!(state.pause_left(now), Some(2 * SECOND));
    }

    #[test]
    fn a_long_wait_does_not_block_forever() {
        let (mut state, now) = (RateLimitState::new(Duration::ZERO), Instant::now());
        state.start(now);
        reject(&mut state, 365 * 86_400 * SECOND, now);
        assert_eq!(state.pause_left(now), Some(365 * 86_400 * SECOND));
        assert_eq!(state.status(now).paused_for, Some(MAX_WAIT));
        assert_eq!(state.turn(now + MAX_WAIT, MAX_WAIT), Turn::Ready);
    }
}
