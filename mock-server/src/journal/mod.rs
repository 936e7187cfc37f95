//! The journal of received requests, limited in number and memory, and expectations about them.

mod difference;
mod entry;
mod expectation;
mod har;
mod request_pattern;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, broadcast};

use crate::tasks::{lock, sleep_in_real_time};

pub(crate) use entry::{Entry, Response, request_line};
pub use entry::{RecordedRequest, RequestOutcome};
pub(crate) use expectation::ExpectationJson;
pub use expectation::{Expect, Expectation, NearMiss, Verification};
pub(crate) use har::{WorldRequests, archive};
pub use request_pattern::RequestPattern;

/// The requests that a server has received, oldest first, within [`JournalLimits`]; see
/// [`ServiceHandle::journal`](crate::ServiceHandle::journal).
///
/// A request is recorded when it has been received, and its
/// [`outcome`](RecordedRequest::outcome) says what has become of it. The requests are without API keys,
/// and contain their names instead.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use mock_server::MockServer;
/// use mock_server::journal::{Expectation, RequestPattern};
/// use std::time::Duration;
///
/// let server = MockServer::start().await;
/// let posts = RequestPattern::new("POST", "/me/posts");
/// assert!(server.journal().requests().is_empty());
/// assert!(server.journal().matching(&posts).is_empty());
/// assert!(server.journal().verify(&Expectation::times(posts.clone(), 0)).satisfied);
/// let report = server.journal().wait(&posts, 1, Duration::from_millis(1)).await.unwrap_err();
/// assert_eq!(report.found, 0);
/// server.journal().clear();
/// # });
/// ```
pub struct Journal {
    log: Mutex<Log>,
    /// The numbers of the requests that are recorded or change.
    changed: broadcast::Sender<u64>,
    cleared: Notify,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self {
            log: Mutex::default(),
            changed: broadcast::Sender::new(MAX_CHANGES),
            cleared: Notify::new(),
        }
    }

    /// Returns an empty journal that continues the numbering.
    pub(crate) fn restart(&self) -> Self {
        let new = Self::new();
        lock(&new.log).last_number = lock(&self.log).last_number;
        new
    }

    /// Records a request. `earlier` is the number of its entry, if it was already recorded; an entry that
    /// was cleared since then does not come back.
    pub(crate) fn record(&self, entry: Entry, earlier: Option<u64>) -> Numbered {
        let recorded = lock(&self.log).record(entry, earlier);
        // Fails if nobody waits.
        let _ = self.changed.send(recorded.number);
        recorded
    }

    /// Changes the outcome of the request with this number.
    pub(crate) fn conclude(&self, number: u64, outcome: RequestOutcome) {
        let log = &mut *lock(&self.log);
        if let Some(place) = log.place(number) {
            Arc::make_mut(&mut log.entries[place].entry).outcome = outcome;
        }
        let _ = self.changed.send(number);
    }

    /// Returns all recorded requests, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.after(0).iter().map(Numbered::format).collect()
    }

    /// Returns the requests with the name of their world, and the number of dropped ones.
    pub(crate) fn in_world(&self, name: &str) -> WorldRequests {
        (name.to_owned(), self.requests(), self.dropped())
    }

    /// Returns the recorded requests that match, oldest first.
    pub fn matching(&self, pattern: &RequestPattern) -> Vec<RecordedRequest> {
        self.matching_after(0, pattern)
    }

    /// Returns the matching requests after the one with this number.
    pub(crate) fn matching_after(
        &self,
        number: u64,
        pattern: &RequestPattern,
    ) -> Vec<RecordedRequest> {
        let entries = self.after(number).into_iter();
        let matching = entries.filter(|one| one.entry.matches(pattern));
        matching.map(|one| one.format()).collect()
    }

    /// Returns the number of requests dropped because of the limits since the journal was cleared.
    pub fn dropped(&self) -> u64 {
        lock(&self.log).dropped
    }

    /// Removes all requests. The numbering continues, and a pending [`wait`](Self::wait) starts again.
    pub fn clear(&self) {
        let log = &mut *lock(&self.log);
        log.entries.clear();
        (log.bytes, log.dropped) = (0, 0);
        self.cleared.notify_waiters();
    }

    pub(crate) fn limits(&self) -> JournalLimits {
        lock(&self.log).limits
    }

    /// Sets the limits and drops the oldest requests that exceed them. Bodies that were already recorded
    /// stay as they are.
    pub(crate) fn set_limits(&self, limits: JournalLimits) {
        let mut log = lock(&self.log);
        log.limits = limits;
        log.drop_oldest();
    }

    /// Waits until the journal is cleared.
    pub(crate) async fn cleared(&self) {
        self.cleared.notified().await;
    }

    /// Compares the recorded requests with an expectation, without waiting.
    pub fn verify(&self, expectation: &Expectation) -> Verification {
        let dropped = self.dropped();
        Verification::of(expectation, &self.after(0), dropped)
    }

    /// Waits until `times` matching requests have been received, and returns them. Requests that are
    /// already in the journal count. The time is real time, even if the clock of tokio is paused.
    ///
    /// # Errors
    ///
    /// Returns the failed [`Verification`] if they are not received `within` this time.
    pub async fn wait(
        &self,
        pattern: &RequestPattern,
        times: u64,
        within: Duration,
    ) -> Result<Vec<RecordedRequest>, Verification> {
        let end = sleep_in_real_time(within);
        self.wait_after(0, pattern, times, end).await
    }

    /// Waits for matching requests after the one with this number until `end` completes.
    pub(crate) async fn wait_after(
        &self,
        number: u64,
        pattern: &RequestPattern,
        times: u64,
        end: impl Future<Output = ()>,
    ) -> Result<Vec<RecordedRequest>, Verification> {
        let mut end = pin!(end);
        // Subscribed before the journal is read, so that no request is missed.
        let mut changes = self.changed.subscribe();
        let matching = || self.matching_after(number, pattern);
        let numbers = |found: &[RecordedRequest]| found.iter().map(|one| one.number).collect();
        let mut found: BTreeSet<u64> = numbers(&matching());
        loop {
            if found.len() as u64 >= times {
                let requests = matching();
                if requests.len() as u64 >= times {
                    return Ok(requests);
                }
                // Some were dropped or cleared since then.
                found = numbers(&requests);
            }
            tokio::select! {
                changed = changes.recv() => match changed {
                    Ok(changed) => {
                        let entry = self.entry(changed).filter(|one| one.number > number);
                        match entry.is_some_and(|one| one.entry.matches(pattern)) {
                            true => found.insert(changed),
                            false => found.remove(&changed),
                        };
                    }
                    // There were too many at once.
                    Err(_) => found = numbers(&matching()),
                },
                () = &mut end => {
                    let expectation = Expectation::at_least(pattern.clone(), times);
                    return Err(self.verify(&expectation));
                }
            }
        }
    }

    /// Returns the requests after the one with this number, oldest first.
    fn after(&self, number: u64) -> Vec<Numbered> {
        let log = lock(&self.log);
        let start = log.entries.partition_point(|entry| entry.number <= number);
        log.entries.range(start..).cloned().collect()
    }

    fn entry(&self, number: u64) -> Option<Numbered> {
        let log = lock(&self.log);
        log.place(number).map(|place| log.entries[place].clone())
    }
}

impl fmt::Debug for Journal {
    /// Shows only the number of requests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = lock(&self.log);
        f.debug_struct("Journal")
            .field("requests", &log.entries.len())
            .field("dropped", &log.dropped)
            .finish_non_exhaustive()
    }
}

/// Maximum number of changes that a waiter may lag behind before it reads the whole journal again.
const MAX_CHANGES: usize = 64;

/// The journals of worlds that were deleted or reset, to which requests that are under way still belong.
#[derive(Debug, Default)]
pub(crate) struct PastJournals {
    /// Maximum memory for all of them together in bytes; 0 if none is kept.
    pub(crate) max_bytes: usize,
    /// The names of the worlds and their journals, in the order in which they ended.
    journals: Vec<(String, Arc<Journal>)>,
    /// Number of requests dropped by journals that are no longer here.
    dropped: u64,
}

impl PastJournals {
    pub(crate) fn add(&mut self, world: &str, journal: &Arc<Journal>) {
        if self.max_bytes > 0 {
            self.journals.push((world.to_owned(), journal.clone()));
            self.drop_oldest();
        }
    }

    /// Returns the requests of each world.
    pub(crate) fn requests(&mut self) -> Vec<WorldRequests> {
        self.drop_oldest();
        let journals = self.journals.iter();
        let forgotten = (String::new(), Vec::new(), self.dropped);
        let requests = journals.map(|(world, journal)| journal.in_world(world));
        requests.chain([forgotten]).collect()
    }

    fn drop_oldest(&mut self) {
        let bytes = |one: &Arc<Journal>| lock(&one.log).bytes;
        let journals = self.journals.iter();
        let sum: usize = journals.map(|(_, journal)| bytes(journal)).sum();
        let mut excess = sum.saturating_sub(self.max_bytes);
        for (_, journal) in &self.journals {
            while excess > 0 && bytes(journal) > 0 {
                excess = excess.saturating_sub(lock(&journal.log).drop_first());
            }
        }
        // Only a request that is under way can add to an empty one.
        self.journals.retain(|(_, journal)| {
            let is_used = bytes(journal) > 0 || Arc::strong_count(journal) > 1;
            self.dropped += if is_used { 0 } else { journal.dropped() };
            is_used
        });
    }
}

/// The limits of a journal. The oldest requests are dropped and counted.
///
/// ```
/// let limits = mock_server::journal::JournalLimits::default();
/// assert_eq!(limits.entries, 10_000);
/// assert_eq!(limits.bytes, 512 * 1024);
/// assert_eq!(limits.body_bytes, 4 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalLimits {
    /// Maximum number of requests; 0 disables the journal.
    pub entries: usize,
    /// Maximum memory for all requests in bytes. The newest request is always kept.
    pub bytes: usize,
    /// Maximum number of bytes recorded of each body.
    pub body_bytes: usize,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            // More would not fit into the caches of most processors, which slows down each request.
            bytes: 512 * 1024,
            body_bytes: 4 * 1024,
        }
    }
}

#[derive(Default)]
struct Log {
    limits: JournalLimits,
    entries: VecDeque<Numbered>,
    bytes: usize,
    last_number: u64,
    dropped: u64,
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
    /// Adds a request, or replaces the earlier entry with this number unless it was dropped or cleared. Drops the
    /// oldest requests to stay within the limits, but never the newest.
    fn record(&mut self, mut entry: Entry, earlier: Option<u64>) -> Numbered {
        entry.limit_bodies(self.limits.body_bytes);
        self.last_number += u64::from(earlier.is_none());
        let new = Numbered {
            number: earlier.unwrap_or(self.last_number),
            bytes: entry.bytes(),
            entry: Arc::new(entry),
        };
        if earlier.is_none() {
            self.bytes += new.bytes;
            self.entries.push_back(new.clone());
        } else if let Some(place) = self.place(new.number) {
            self.bytes = self.bytes - self.entries[place].bytes + new.bytes;
            self.entries[place] = new.clone();
        }
        self.drop_oldest();
        new
    }

    fn place(&self, number: u64) -> Option<usize> {
        let found = self
            .entries
            .binary_search_by_key(&number, |entry| entry.number);
        found.ok()
    }

    fn drop_oldest(&mut self) {
        while self.entries.len() > self.limits.entries
            || (self.bytes > self.limits.bytes && self.entries.len() > 1)
        {
            self.drop_first();
        }
    }

    /// Drops and counts the oldest request, and returns its memory in bytes.
    fn drop_first(&mut self) -> usize {
        let bytes = self.entries.pop_front().map_or(0, |oldest| oldest.bytes);
        self.bytes -= bytes;
        self.dropped += 1;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::engine::Request;

    fn journal(limits: JournalLimits) -> Journal {
        let journal = Journal::new();
        journal.set_limits(limits);
        journal
    }

    fn record(journal: &Journal, body: &[u8]) {
        journal.record(entry(body), None);
    }

    fn entry(body: &[u8]) -> Entry {
        Entry {
            request: Request::new("POST", "/api/v1/me/posts").body(body),
            other_keys: Vec::new(),
            at: Timestamp::UNIX_EPOCH,
            endpoint: None,
            has_known_key: false,
            fault: None,
            violations: Vec::new(),
            is_cross_origin: false,
            outcome: RequestOutcome::Responded,
            response: None,
        }
    }

    fn numbers(journal: &Journal) -> Vec<u64> {
        let log = lock(&journal.log);
        log.entries.iter().map(|entry| entry.number).collect()
    }

    #[tokio::test]
    async fn a_waiter_counts_what_matches_and_is_still_there() {
        let journal = journal(JournalLimits {
            entries: 3,
            ..JournalLimits::default()
        });
        let respond = |body: &[u8]| Entry {
            response: Some(Response {
                status: 200,
                ..Default::default()
            }),
            ..entry(body)
        };
        let delayed = Entry {
            outcome: RequestOutcome::Delayed,
            ..respond(b"{}")
        };
        let pattern = RequestPattern::any().status(200);
        let waiting = journal.wait_after(0, &pattern, 3, std::future::pending());
        let mut waiting = pin!(waiting);
        let mut record = async |entry: &Entry, times| {
            for _ in 0..times {
                journal.record(entry.clone(), None);
            }
            let polled = tokio::time::timeout(Duration::ZERO, waiting.as_mut()).await;
            polled.ok().map(|found| found.unwrap().len())
        };
        assert_eq!(record(&respond(b"{}"), 2).await, None);
        // One is dropped.
        assert_eq!(record(&delayed, 2).await, None);
        journal.conclude(3, RequestOutcome::Responded);
        assert_eq!(record(&delayed, 0).await, None);
        journal.conclude(4, RequestOutcome::Responded);
        assert_eq!(record(&delayed, 0).await, Some(3));
        let waiting = journal.wait_after(4, &pattern, 3, std::future::pending());
        let mut waiting = pin!(waiting);
        let polled = tokio::time::timeout(Duration::ZERO, waiting.as_mut());
        assert!(polled.await.is_err());
        // More than a waiter can lag behind.
        for _ in 0..2 * MAX_CHANGES {
            journal.record(respond(b"{}"), None);
        }
        assert_eq!(waiting.await.unwrap().len(), 3);
    }

    #[test]
    fn drops_the_oldest_above_the_number_limit() {
        for (entries, left) in [(3, &[3, 4, 5][..]), (0, &[])] {
            let journal = journal(JournalLimits {
                entries,
                ..JournalLimits::default()
            });
            for _ in 0..5 {
                record(&journal, b"{}");
            }
            assert_eq!(numbers(&journal), left);
            assert_eq!(journal.dropped(), 5 - entries as u64);
            journal.clear();
            assert_eq!(journal.dropped(), 0);
            record(&journal, b"{}");
            assert_eq!(numbers(&journal), &[6][..entries.min(1)]);
        }
    }

    #[test]
    fn drops_the_oldest_above_the_memory_limit() {
        let bytes = 3_000;
        let limits = |bytes| JournalLimits {
            bytes,
            ..JournalLimits::default()
        };
        let journal = journal(limits(bytes));
        for length in [10, 900, 10, 700, 10, 10, 10, 10, 10, 10, 10, 10] {
            record(&journal, &vec![b'a'; length]);
            let log = lock(&journal.log);
            assert!(log.bytes <= bytes, "{}", log.bytes);
            let counted: usize = log.entries.iter().map(|entry| entry.entry.bytes()).sum();
            assert_eq!(log.bytes, counted);
        }
        record(&journal, &[b'a'; 4_000]);
        assert_eq!(numbers(&journal), [13], "the newest is always kept");
        journal.record(entry(b"{}"), Some(13));
        let bytes = lock(&journal.log).bytes;
        assert_eq!(bytes, entry(b"{}").bytes());
        journal.set_limits(limits(2 * bytes));
        record(&journal, b"{}");
        assert_eq!(numbers(&journal), [13, 14], "the limit itself is allowed");
    }
}
