//! The events that a worker received recently, to detect redeliveries.

use std::collections::{HashMap, VecDeque};

use tokio::time::Instant;

use crate::DUPLICATE_WINDOW;

/// The progress of recent events, by sequence number.
#[derive(Debug, Default)]
pub(crate) struct RecentEvents {
    done: VecDeque<(Instant, u64)>,
    progress: HashMap<u64, Progress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The event is being handled. Acknowledging it now would lose it if this process died.
    InProgress,
    /// The event was handled, but the broker may not have received the acknowledgement.
    Done,
}

impl RecentEvents {
    /// Marks a new event as in progress and returns `None`, or returns the progress of a known
    /// event.
    pub(crate) fn start(&mut self, sequence: u64, now: Instant) -> Option<Progress> {
        self.remove_old(now);
        let known = self.progress.get(&sequence).copied();
        if known.is_none() {
            self.progress.insert(sequence, Progress::InProgress);
        }
        known
    }

    /// Marks an event as done.
    pub(crate) fn finish(&mut self, sequence: u64, now: Instant) {
        self.progress.insert(sequence, Progress::Done);
        self.done.push_back((now, sequence));
    }

    /// Forgets an event whose handler failed, so that it is handled again.
    pub(crate) fn forget(&mut self, sequence: u64) {
        self.progress.remove(&sequence);
    }

    fn remove_old(&mut self, now: Instant) {
        while let Some((finished, sequence)) = self.done.front().copied()
            && now.duration_since(finished) > DUPLICATE_WINDOW
        {
            self.done.pop_front();
            self.progress.remove(&sequence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_an_event_until_the_window_ends() {
        let (mut events, now) = (RecentEvents::default(), Instant::now());
        assert_eq!(events.start(1, now), None);
        assert_eq!(events.start(1, now), Some(Progress::InProgress));
        events.forget(1);
        assert_eq!(events.start(1, now), None);
        events.finish(1, now);
        let end = now + DUPLICATE_WINDOW;
        assert_eq!(events.start(1, end), Some(Progress::Done));
        assert_eq!(events.start(1, end + DUPLICATE_WINDOW), None);
    }
}
