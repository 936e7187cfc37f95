//! The recorded requests, limited in number and memory.

use std::collections::VecDeque;
use std::sync::Arc;

use super::entry::Entry;
use super::limits::JournalLimits;
use super::recorded_request::RecordedRequest;
use super::request_outcome::RequestOutcome;

pub(super) struct Log {
    pub(super) limits: JournalLimits,
    pub(super) entries: VecDeque<Numbered>,
    bytes: usize,
    last_number: u64,
    pub(super) dropped: u64,
}

/// An entry with its number and the memory that it occupies in bytes.
#[derive(Clone)]
pub(crate) struct Numbered {
    pub(crate) number: u64,
    bytes: usize,
    pub(crate) entry: Arc<Entry>,
}

impl Numbered {
    /// Returns the request without its keys.
    pub(super) fn format(&self) -> RecordedRequest {
        self.entry.format(self.number)
    }
}

impl Log {
    pub(super) fn new(limits: JournalLimits) -> Self {
        Self {
            limits,
            entries: VecDeque::new(),
            bytes: 0,
            last_number: 0,
            dropped: 0,
        }
    }

    /// Adds a request and drops the oldest ones to stay within the limits. The newest is always kept.
    pub(super) fn record(&mut self, entry: Entry) -> Numbered {
        self.last_number += 1;
        let added = self.number(self.last_number, entry);
        self.bytes += added.bytes;
        self.entries.push_back(added.clone());
        self.drop_oldest();
        added
    }

    /// Replaces the entry with this number, or adds it if the journal no longer contains the number.
    pub(super) fn replace(&mut self, number: u64, entry: Entry) -> Numbered {
        let Some(place) = self.place(number) else {
            return self.record(entry);
        };
        let new = self.number(number, entry);
        self.bytes = self.bytes - self.entries[place].bytes + new.bytes;
        self.entries[place] = new.clone();
        self.drop_oldest();
        new
    }

    /// Changes the outcome of the request with this number.
    pub(super) fn conclude(&mut self, number: u64, outcome: RequestOutcome) {
        if let Some(place) = self.place(number) {
            Arc::make_mut(&mut self.entries[place].entry).outcome = outcome;
        }
    }

    fn number(&self, number: u64, mut entry: Entry) -> Numbered {
        entry.limit_bodies(self.limits.body_bytes);
        Numbered {
            number,
            bytes: entry.bytes(),
            entry: Arc::new(entry),
        }
    }

    fn place(&self, number: u64) -> Option<usize> {
        self.entries
            .binary_search_by_key(&number, |entry| entry.number)
            .ok()
    }

    pub(super) fn set_limits(&mut self, limits: JournalLimits) {
        self.limits = limits;
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        while self.entries.len() > self.limits.entries
            || (self.bytes > self.limits.bytes && self.entries.len() > 1)
        {
            let oldest = self.entries.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes);
            self.dropped += 1;
        }
    }

    /// Returns the requests after the one with this number, oldest first.
    pub(super) fn after(&self, number: u64) -> Vec<Numbered> {
        let start = self.entries.partition_point(|entry| entry.number <= number);
        self.entries.range(start..).cloned().collect()
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
        self.dropped = 0;
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::engine::Request;

    fn record(log: &mut Log, body: &[u8]) {
        log.record(Entry {
            request: Request::new("POST", "/api/v1/me/posts").body(body),
            other_keys: Vec::new(),
            at: Timestamp::UNIX_EPOCH,
            endpoint: None,
            has_known_key: false,
            fault: None,
            violations: Vec::new(),
            outcome: RequestOutcome::Responded,
            response: None,
        });
    }

    fn numbers(log: &Log) -> Vec<u64> {
        log.entries.iter().map(|entry| entry.number).collect()
    }

    #[test]
    fn drops_the_oldest_above_the_number_limit() {
        let entries = 3;
        let mut log = Log::new(JournalLimits {
            entries,
            ..JournalLimits::default()
        });
        for _ in 0..5 {
            record(&mut log, b"{}");
        }
        assert_eq!(numbers(&log), [3, 4, 5]);
        assert_eq!(log.dropped, 2);
        log.clear();
        record(&mut log, b"{}");
        assert_eq!(numbers(&log), [6]);
        assert_eq!(log.dropped, 0);
    }

    #[test]
    fn drops_the_oldest_above_the_memory_limit() {
        let bytes = 3_000;
        let mut log = Log::new(JournalLimits {
            bytes,
            ..JournalLimits::default()
        });
        for length in [10, 900, 10, 700, 10, 10, 10, 10, 10, 10, 10, 10] {
            record(&mut log, &vec![b'a'; length]);
            assert!(log.bytes <= bytes, "{}", log.bytes);
            let counted: usize = log.entries.iter().map(|entry| entry.entry.bytes()).sum();
            assert_eq!(log.bytes, counted);
        }
        record(&mut log, &[b'a'; 4_000]);
        assert_eq!(numbers(&log), [13], "the newest is always kept");
    }

    #[test]
    fn a_limit_of_0_entries_disables_the_journal() {
        let entries = 0;
        let mut log = Log::new(JournalLimits {
            entries,
            ..JournalLimits::default()
        });
        record(&mut log, b"{}");
        assert!(numbers(&log).is_empty());
        assert_eq!(log.dropped, 1);
    }
}
