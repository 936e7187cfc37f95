//! Assertions about the requests in a journal.

use std::panic::Location;
use std::time::Duration;

use super::{Expectation, Journal, RecordedRequest, RequestPattern};

/// An assertion about received requests; see [`ServiceHandle::expect`](crate::ServiceHandle::expect).
///
/// [`once`](Self::once), [`times`](Self::times), [`at_least`](Self::at_least),
/// [`at_most`](Self::at_most) and [`never`](Self::never) check the requests received so far;
/// [`arrives`](Self::arrives) waits for requests. If the assertion fails, they panic with the closest
/// requests in the message. They also panic if no request can match, for example because no endpoint
/// has the path.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::MockServer;
/// use mock_server::journal::RequestPattern;
/// use serde_json::json;
///
/// let server = MockServer::start().await;
/// // … the client under test runs …
/// server.expect("DELETE", "/me/links/{id}").never();
/// let edit = RequestPattern::new("PATCH", "/me/profile").body_contains(json!({"bio": ""}));
/// server.expect_matching(edit).at_most(1);
/// # });
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is checked until a method such as `once()` is called"]
pub struct Expect<'a> {
    journal: &'a Journal,
    pattern: RequestPattern,
}

impl<'a> Expect<'a> {
    pub(crate) fn new(journal: &'a Journal, pattern: RequestPattern) -> Self {
        Self { journal, pattern }
    }

    /// Asserts that exactly one matching request was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn once(self) {
        self.times(1);
    }

    /// Asserts that exactly this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn times(self, times: u64) {
        self.check(|pattern| Expectation::times(pattern, times));
    }

    /// Asserts that at least this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn at_least(self, times: u64) {
        self.check(|pattern| Expectation::at_least(pattern, times));
    }

    /// Asserts that at most this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn at_most(self, times: u64) {
        self.check(|pattern| Expectation::at_most(pattern, times));
    }

    /// Asserts that no matching request was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn never(self) {
        self.times(0);
    }

    /// Waits until this number of matching requests has been received, and returns them. Requests
    /// received earlier count. The time is real time, even if the clock of tokio is paused.
    ///
    /// # Panics
    ///
    /// Panics if they are not received `within` this time. The message contains the location of the
    /// call, because `#[track_caller]` has no effect inside a future.
    #[track_caller]
    pub fn arrives(
        self,
        times: u64,
        within: Duration,
    ) -> impl Future<Output = Vec<RecordedRequest>> + Send + 'a {
        let caller = Location::caller();
        self.check_pattern();
        async move {
            match self.journal.wait(&self.pattern, times, within).await {
                Ok(requests) => requests,
                Err(report) => panic!("{caller}: within {within:?}, {report}"),
            }
        }
    }

    #[track_caller]
    fn check(self, expectation: impl FnOnce(RequestPattern) -> Expectation) {
        self.check_pattern();
        let report = self.journal.verify(&expectation(self.pattern));
        assert!(report.satisfied, "{report}");
    }

    #[track_caller]
    fn check_pattern(&self) {
        if let Err(reason) = self.pattern.check() {
            panic!("no request can match {}: {reason}", self.pattern);
        }
    }
}
