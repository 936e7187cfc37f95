//! What a worker has handed on, so that it knows again what the broker offers twice.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

/// The events of the last while by their place in the stream.
#[derive(Debug)]
pub(crate) struct HandedOn {
    window: Duration,
    by_age: VecDeque<(Instant, u64)>,
    states: HashMap<u64, Progress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It is being handled. To acknowledge it now would lose it if this process died.
    UnderWay,
    /// It was handled, and the broker does not know yet.
    Done,
}

impl HandedOn {
    pub(crate) fn new(window: Duration) -> Self {
        Self {
            window,
            by_age: VecDeque::new(),
            states: HashMap::new(),
        }
    }

    /// Says how far an event is; nothing means that it is new, and from now on under way.
    pub(crate) fn begin(&mut self, sequence: u64, now: Instant) -> Option<Progress> {
        self.forget_old(now);
        let before = self.states.get(&sequence).copied();
        if before.is_none() {
            self.states.insert(sequence, Progress::UnderWay);
        }
        before
    }

    /// The event was handled.
    pub(crate) fn finish(&mut self, sequence: u64, now: Instant) {
        self.states.insert(sequence, Progress::Done);
        self.by_age.push_back((now, sequence));
    }

    /// Handling failed, and is to be tried again.
    pub(crate) fn give_back(&mut self, sequence: u64) {
        self.states.remove(&sequence);
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some((finished, sequence)) = self.by_age.front().copied()
            && now.duration_since(finished) > self.window
        {
            self.by_age.pop_front();
            self.states.remove(&sequence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_new_once_and_until_it_is_forgotten() {
        let second = Duration::from_secs(1);
        let (mut handed_on, now) = (HandedOn::new(second), Instant::now());
        assert_eq!(handed_on.begin(1, now), None);
        assert_eq!(handed_on.begin(1, now), Some(Progress::UnderWay));
        handed_on.give_back(1);
        assert_eq!(handed_on.begin(1, now), None);
        handed_on.finish(1, now);
        assert_eq!(handed_on.begin(1, now + second), Some(Progress::Done));
        assert_eq!(handed_on.begin(1, now + 2 * second), None);
    }
}
