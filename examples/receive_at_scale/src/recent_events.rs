//! The events that a worker received recently, to detect redeliveries.

use std::collections::{HashMap, VecDeque};

use tokio::time::Instant;

use crate::DUPLICATE_WINDOW;

/// The sequence number of an event and the time at which the broker stored it: the number alone
/// identifies another event after the stream was created again.
pub(crate) type Identity = (u64, i128);

/// The progress of recent events, by their identity.
#[derive(Debug, Default)]
pub(crate) struct RecentEvents {
    done: VecDeque<(Instant, Identity)>,
    progress: HashMap<Identity, Progress>,
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
    pub(crate) fn start(&mut self, event: Identity, now: Instant) -> Option<Progress> {
        while let Some((finished, event)) = self.done.front().copied()
            && now.duration_since(finished) > DUPLICATE_WINDOW
        {
            self.done.pop_front();
            self.progress.remove(&event);
        }
        let known = self.progress.get(&event).copied();
        if known.is_none() {
            self.progress.insert(event, Progress::InProgress);
        }
        known
    }

    /// Marks an event as done.
    pub(crate) fn finish(&mut self, event: Identity, now: Instant) {
        self.progress.insert(event, Progress::Done);
        self.done.push_back((now, event));
    }

    /// Forgets an event whose handler failed, so that it is handled again.
    pub(crate) fn forget(&mut self, event: Identity) {
        self.progress.remove(&event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Identity = (1, 1_000);

    #[test]
    fn remembers_an_event_until_the_window_ends() {
        let (mut events, now) = (RecentEvents::default(), Instant::now());
        assert_eq!(events.start(FIRST, now), None);
        assert_eq!(events.start(FIRST, now), Some(Progress::InProgress));
        events.forget(FIRST);
        assert_eq!(events.start(FIRST, now), None);
        events.finish(FIRST, now);
        let end = now + DUPLICATE_WINDOW;
        assert_eq!(events.start(FIRST, end), Some(Progress::Done));
        assert_eq!(events.start((1, 2_000), end), None, "a new stream");
        assert_eq!(events.start(FIRST, end + DUPLICATE_WINDOW), None);
    }
}
