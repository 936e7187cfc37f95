//! The recorded requests, limited in number and memory.

use std::collections::VecDeque;

use super::limits::JournalLimits;
use super::recorded_request::{RecordedReply, RecordedRequest};
use crate::engine::Request;

#[derive(Debug)]
pub(super) struct Log {
    limits: JournalLimits,
    entries: VecDeque<RecordedRequest>,
    bytes: usize,
    last_number: u64,
    dropped: u64,
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
    pub(super) fn record(&mut self, request: &Request, answered: &RecordedReply<'_>) {
        self.last_number += 1;
        if self.limits.entries == 0 {
            self.dropped += 1;
            return;
        }
        let body_limit = self.limits.body_bytes;
        let entry = RecordedRequest::new(self.last_number, request, answered, body_limit);
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.entries.len() > self.limits.entries
            || (self.bytes > self.limits.bytes && self.entries.len() > 1)
        {
            let oldest = self.entries.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes());
            self.dropped += 1;
        }
    }

    /// Returns the requests after the one with this number, oldest first.
    pub(super) fn after(&self, number: u64) -> impl Iterator<Item = &RecordedRequest> {
        let start = self.entries.partition_point(|entry| entry.number <= number);
        self.entries.range(start..)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &RecordedRequest> {
        self.entries.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn last_number(&self) -> u64 {
        self.last_number
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
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

    fn record(log: &mut Log, body: &[u8]) {
        let request = Request::new("POST", "/api/v1/me/posts").body(body);
        let answered = RecordedReply {
            at: Timestamp::UNIX_EPOCH,
            endpoint: None,
            key: Some("all"),
            status: Some(201),
            fault: None,
        };
        log.record(&request, &answered);
    }

    fn numbers(log: &Log) -> Vec<u64> {
        log.all().map(|entry| entry.number).collect()
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
        assert_eq!(log.dropped(), 2);
        log.clear();
        record(&mut log, b"{}");
        assert_eq!(numbers(&log), [6]);
        assert_eq!(log.dropped(), 0);
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
            let counted: usize = log.entries.iter().map(RecordedRequest::bytes).sum();
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
        assert_eq!(log.dropped(), 1);
    }
}
