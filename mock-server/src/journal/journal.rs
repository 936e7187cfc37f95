//! The journal of a running server.

use std::fmt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::difference::matches;
use super::entry::Entry;
use super::expectation::Expectation;
use super::limits::JournalLimits;
use super::log::{Log, Numbered};
use super::recorded_request::RecordedRequest;
use super::request_outcome::RequestOutcome;
use super::request_pattern::RequestPattern;
use super::verification::Verification;

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
    recorded: Notify,
    cleared: Notify,
}

impl Journal {
    pub(crate) fn new(limits: JournalLimits) -> Self {
        Self {
            log: Mutex::new(Log::new(limits)),
            recorded: Notify::new(),
            cleared: Notify::new(),
        }
    }

    /// Records a request. `earlier` is the number of its entry, if it was already recorded.
    pub(crate) fn record(&self, entry: Entry, earlier: Option<u64>) -> Numbered {
        let recorded = match earlier {
            None => self.log().record(entry),
            Some(number) => self.log().replace(number, entry),
        };
        self.recorded.notify_waiters();
        recorded
    }

    /// Changes the outcome of the request with this number.
    pub(crate) fn conclude(&self, number: u64, outcome: RequestOutcome) {
        self.log().conclude(number, outcome);
        self.recorded.notify_waiters();
    }

    /// Returns all recorded requests, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.after(0)
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
        let mut requests = self.after(number);
        requests.retain(|request| matches(pattern, &request.into()));
        requests
    }

    /// Returns the number of requests dropped because of the limits since the journal was cleared.
    pub fn dropped(&self) -> u64 {
        self.log().dropped
    }

    /// Removes all requests. The numbering continues, and a pending [`wait`](Self::wait) starts again.
    pub fn clear(&self) {
        self.log().clear();
        self.cleared.notify_waiters();
    }

    pub(crate) fn limits(&self) -> JournalLimits {
        self.log().limits
    }

    /// Sets the limits and drops the oldest requests that exceed them. Bodies that were already recorded
    /// stay as they are.
    pub(crate) fn set_limits(&self, limits: JournalLimits) {
        self.log().set_limits(limits);
    }

    /// Waits until the journal is cleared.
    pub(crate) async fn cleared(&self) {
        self.cleared.notified().await;
    }

    /// Compares the recorded requests with an expectation, without waiting.
    pub fn verify(&self, expectation: &Expectation) -> Verification {
        let dropped = self.dropped();
        Verification::of(expectation, &self.requests(), dropped)
    }

    /// Waits until `times` matching requests have been received, and returns them. Requests that are
    /// already in the journal count. Requires a tokio runtime with time enabled.
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
        let found = self.wait_after(0, pattern, times, within).await;
        match found.len() as u64 >= times {
            true => Ok(found),
            false => {
                let expectation = Expectation::at_least(pattern.clone(), times);
                Err(self.verify(&expectation))
            }
        }
    }

    /// Waits for matching requests after the one with this number. Returns fewer if they are not
    /// received within this time.
    pub(crate) async fn wait_after(
        &self,
        number: u64,
        pattern: &RequestPattern,
        times: u64,
        within: Duration,
    ) -> Vec<RecordedRequest> {
        // Without a deadline if `Instant` cannot represent it.
        let deadline = Instant::now().checked_add(within);
        loop {
            let mut recorded = pin!(self.recorded.notified());
            // Subscribe before reading the log, so that no request is missed.
            recorded.as_mut().enable();
            // An entry may change, so all are compared again.
            let found = self.matching_after(number, pattern);
            if found.len() as u64 >= times {
                return found;
            }
            match deadline {
                None => recorded.await,
                Some(deadline) => {
                    if timeout_at(deadline, recorded).await.is_err() {
                        return found;
                    }
                }
            }
        }
    }

    /// Returns the requests after the one with this number, oldest first. The log is not locked while
    /// they are formatted.
    fn after(&self, number: u64) -> Vec<RecordedRequest> {
        let entries = self.log().after(number);
        entries.iter().map(Numbered::format).collect()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        // A panic cannot leave the log inconsistent.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Journal {
    /// Shows only the number of requests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = self.log();
        f.debug_struct("Journal")
            .field("requests", &log.entries.len())
            .field("dropped", &log.dropped)
            .finish_non_exhaustive()
    }
}
