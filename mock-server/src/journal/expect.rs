//! What a Rust test says of the requests that its client was to send.

use std::panic::Location;
use std::time::Duration;

use serde_json::Value;

use super::expectation::Expectation;
use super::journal::Journal;
use super::recorded_request::RecordedRequest;
use super::request_pattern::RequestPattern;

/// An expectation in the making; see [`MockServer::expect`](crate::MockServer::expect).
///
/// It begins with a method and a path, as [`RequestPattern`] reads them, and ends with a number:
/// [`once`](Self::once), [`times`](Self::times), [`at_least`](Self::at_least),
/// [`at_most`](Self::at_most) and [`never`](Self::never) look at what has come, and
/// [`arrives`](Self::arrives) waits. Each panics when it is not so, and tells what came close; and
/// when nothing can match, such as a path that no endpoint has.
#[derive(Debug, Clone)]
#[must_use = "nothing is checked before a number is named, such as `once()`"]
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

    /// With this query parameter, decoded.
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

    /// With this header.
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

    /// With a JSON body that has at least this.
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

    /// With a JSON body that has this and nothing else.
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

    /// With the key that is called so, such as `all` or `none`.
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

    /// RecordedReply with this status.
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

    /// Exactly one such request has come.
    ///
    /// # Panics
    ///
    /// When it has not.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").once(); // Nothing came.
    /// # });
    /// ```
    #[track_caller]
    pub fn once(self) {
        self.times(1);
    }

    /// Exactly so many such requests have come.
    ///
    /// # Panics
    ///
    /// When they have not.
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

    /// So many such requests or more have come.
    ///
    /// # Panics
    ///
    /// When they have not.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("GET", "/me").at_least(1); // Nothing came.
    /// # });
    /// ```
    #[track_caller]
    pub fn at_least(self, times: u64) {
        self.check(|pattern| Expectation::at_least(pattern, times));
    }

    /// So many such requests or fewer have come.
    ///
    /// # Panics
    ///
    /// When more have.
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

    /// No such request has come.
    ///
    /// # Panics
    ///
    /// When one has.
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

    /// Waits until so many such requests have come, those included that have come already, and
    /// returns them. It needs a tokio runtime with time enabled.
    ///
    /// # Panics
    ///
    /// When they have not come `within` this time. The message names the place of the call, because
    /// a panic within a future cannot.
    ///
    /// ```should_panic
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::time::Duration;
    ///
    /// let server = mock_server::MockServer::start().await;
    /// // Nothing comes.
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
