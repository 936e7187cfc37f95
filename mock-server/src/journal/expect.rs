//! Assertions about the requests that a server has received.

use std::panic::Location;
use std::time::Duration;

use serde_json::Value;

use super::expectation::Expectation;
use super::journal::Journal;
use super::recorded_request::RecordedRequest;
use super::request_pattern::RequestPattern;

/// A builder for an assertion about received requests; see
/// [`MockServer::expect`](crate::MockServer::expect).
///
/// [`once`](Self::once), [`times`](Self::times), [`at_least`](Self::at_least),
/// [`at_most`](Self::at_most) and [`never`](Self::never) check the requests received so far;
/// [`arrives`](Self::arrives) waits for requests. If the assertion fails, they panic with the closest
/// requests in the message. They also panic if no request can match, for example because no endpoint
/// has the path.
#[derive(Debug, Clone)]
#[must_use = "nothing is checked until a method such as `once()` is called"]
pub struct Expect<'a> {
    journal: &'a Journal,
    pattern: RequestPattern,
}

impl<'a> Expect<'a> {
    pub(crate) fn new(journal: &'a Journal, method: &str, path: &str) -> Self {
        let pattern = RequestPattern::new(method, path);
        Self { journal, pattern }
    }

    fn with(self, change: impl FnOnce(RequestPattern) -> RequestPattern) -> Self {
        let pattern = change(self.pattern);
        Self { pattern, ..self }
    }

    /// Matches requests with this query parameter. The value is compared percent-decoded.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/users/{handle}/stats").query("days", "31").never();
    /// # });
    /// ```
    pub fn query(self, name: &str, value: &str) -> Self {
        self.with(|pattern| pattern.query(name, value))
    }

    /// Matches requests with this header.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").header("X-Debug", "1").never();
    /// # });
    /// ```
    pub fn header(self, name: &str, value: &str) -> Self {
        self.with(|pattern| pattern.header(name, value))
    }

    /// Matches requests whose JSON body contains at least this value.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use serde_json::json;
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("PATCH", "/me/profile").body_contains(json!({"bio": ""})).never();
    /// # });
    /// ```
    pub fn body_contains(self, part: Value) -> Self {
        self.with(|pattern| pattern.body_contains(part))
    }

    /// Matches requests whose JSON body equals this value.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use serde_json::json;
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("POST", "/me/posts").body(json!({"body": "Hello"})).never();
    /// # });
    /// ```
    pub fn body(self, whole: Value) -> Self {
        self.with(|pattern| pattern.body(whole))
    }

    /// Matches requests with the key of this name, such as `all` or `none`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").key("unknown").never();
    /// # });
    /// ```
    pub fn key(self, label: &str) -> Self {
        self.with(|pattern| pattern.key(label))
    }

    /// Requires a response with this status.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("PATCH", "/me/profile").status(422).never();
    /// # });
    /// ```
    pub fn status(self, status: u16) -> Self {
        self.with(|pattern| pattern.status(status))
    }

    /// Asserts that exactly one matching request was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").once(); // No request was received.
    /// # });
    /// ```
    #[track_caller]
    pub fn once(self) {
        self.times(1);
    }

    /// Asserts that exactly this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").times(0);
    /// # });
    /// ```
    #[track_caller]
    pub fn times(self, times: u64) {
        self.check(|pattern| Expectation::times(pattern, times));
    }

    /// Asserts that at least this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").at_least(1); // No request was received.
    /// # });
    /// ```
    #[track_caller]
    pub fn at_least(self, times: u64) {
        self.check(|pattern| Expectation::at_least(pattern, times));
    }

    /// Asserts that at most this number of matching requests was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").at_most(3);
    /// # });
    /// ```
    #[track_caller]
    pub fn at_most(self, times: u64) {
        self.check(|pattern| Expectation::at_most(pattern, times));
    }

    /// Asserts that no matching request was received.
    ///
    /// # Panics
    ///
    /// Panics if the assertion fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("DELETE", "/me/posts/{id}").never();
    /// # });
    /// ```
    #[track_caller]
    pub fn never(self) {
        self.times(0);
    }

    /// Waits until this number of matching requests has been received, and returns them. Requests
    /// received earlier count. Requires a tokio runtime with time enabled.
    ///
    /// # Panics
    ///
    /// Panics if they are not received `within` this time. The message contains the location of the
    /// call, because `#[track_caller]` has no effect inside a future.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::time::Duration;
    ///
    /// let server = mock_server::MockServer::start().await;
    /// // No request is sent.
    /// server.expect("GET", "/me").arrives(1, Duration::from_millis(1)).await;
    /// # });
    /// ```
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
