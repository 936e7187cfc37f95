//! Assertions about the requests in a journal: the expected number of matching requests, and the result of
//! checking it, with the requests that are closest.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::difference::{differences, has_method, has_path};
use super::har::dropped;
use super::request_pattern::join;
use super::{Journal, Numbered, RecordedRequest, RequestPattern};
use crate::engine::BASE_PATH;
use crate::input::{self, InvalidInput, Result};

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

/// A pattern and the expected number of requests that match it.
///
/// In JSON: `{"request": pattern, "times": 2}`. `"at_least"`, `"at_most"` or both can replace
/// `"times"`. Without any of them, at least one request is expected.
///
/// ```
/// use mock_server::journal::{Expectation, RequestPattern};
/// use serde_json::json;
///
/// let expectation = Expectation::times(RequestPattern::new("GET", "/me"), 2);
/// assert_eq!(expectation.to_string(), "GET /me exactly 2 times");
/// let read = json!({"request": {"method": "GET", "path": "/me"}, "times": 2});
/// assert_eq!(serde_json::from_value::<Expectation>(read)?, expectation);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "ExpectationJson")]
pub struct Expectation {
    pub(crate) request: RequestPattern,
    pub(super) at_least: u64,
    pub(super) at_most: Option<u64>,
}

impl Expectation {
    /// Expects exactly this number of requests.
    pub fn times(request: RequestPattern, times: u64) -> Self {
        Self::new(request, times, Some(times))
    }

    /// Expects at least this number of requests.
    pub fn at_least(request: RequestPattern, times: u64) -> Self {
        Self::new(request, times, None)
    }

    /// Expects at most this number of requests.
    pub fn at_most(request: RequestPattern, times: u64) -> Self {
        Self::new(request, 0, Some(times))
    }

    fn new(request: RequestPattern, at_least: u64, at_most: Option<u64>) -> Self {
        Self {
            request,
            at_least,
            at_most,
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.request)?;
        match (self.at_least, self.at_most) {
            (_, Some(0)) => f.write_str("never"),
            (min, Some(max)) if min == max => write!(f, "exactly {}", times(max)),
            (0, Some(max)) => write!(f, "at most {}", times(max)),
            (min, Some(max)) => write!(f, "{min} to {max} times"),
            (min, None) => write!(f, "at least {}", times(min)),
        }
    }
}

/// `once`, `2 times`.
fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

/// The JSON form of an expectation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectationJson {
    #[serde(deserialize_with = "input::nested_object")]
    request: RequestPattern,
    times: Option<u64>,
    at_least: Option<u64>,
    at_most: Option<u64>,
}

impl TryFrom<ExpectationJson> for Expectation {
    type Error = InvalidInput;

    fn try_from(written: ExpectationJson) -> Result<Self> {
        let request = written.request;
        match (written.times, written.at_least, written.at_most) {
            (Some(times), None, None) => Ok(Self::times(request, times)),
            (Some(_), ..) => Err(invalid(
                "`times` cannot be combined with `at_least` or `at_most`; remove one of them",
            )),
            (None, None, None) => Ok(Self::at_least(request, 1)),
            (None, Some(at_least), Some(at_most)) if at_least > at_most => Err(invalid(format!(
                "at_least is {at_least} and at_most is {at_most}; expected at_least to be at most \
                 at_most"
            ))),
            (None, at_least, at_most) => Ok(Self::new(request, at_least.unwrap_or(0), at_most)),
        }
    }
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_expectation", message)
}

/// Maximum number of matching requests that a report lists.
const MAX_LISTED: usize = 10;

/// The result of checking an [`Expectation`] against the journal. `Display` writes
/// [`message`](Self::message).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::MockServer;
/// use mock_server::journal::{Expectation, RequestPattern};
///
/// let server = MockServer::start().await;
/// let expected = Expectation::times(RequestPattern::new("GET", "/me"), 1);
/// let verification = server.journal().verify(&expected);
/// assert!(!verification.satisfied);
/// assert_eq!(
///     verification.message,
///     "expected GET /me exactly once; not received\nno near misses; other requests: 0"
/// );
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// `true` if the expectation is met. An upper limit is not met if the journal has dropped requests,
    /// which may have matched.
    pub satisfied: bool,
    /// Number of matching requests.
    pub found: u64,
    /// The numbers of the matching requests, oldest first, at most 10.
    pub numbers: Vec<u64>,
    /// The closest requests, if too few match.
    pub near_misses: Vec<NearMiss>,
    /// Number of requests that the journal has dropped; they may have matched.
    pub dropped: u64,
    /// A readable report of one or more lines.
    pub message: String,
}

impl Verification {
    pub(super) fn of(expectation: &Expectation, requests: &[Numbered], dropped: u64) -> Self {
        let pattern = &expectation.request;
        let matching = requests.iter().filter(|one| one.entry.matches(pattern));
        let matching: Vec<_> = matching.map(|request| request.number).collect();
        let found = matching.len() as u64;
        let is_enough = found >= expectation.at_least;
        let near_misses = match is_enough {
            true => Vec::new(),
            false => near_misses(pattern, requests),
        };
        // A dropped request may have matched.
        let is_allowed = |max| found <= max && dropped == 0;
        let mut verification = Self {
            satisfied: is_enough && expectation.at_most.is_none_or(is_allowed),
            found,
            numbers: matching.into_iter().take(MAX_LISTED).collect(),
            near_misses,
            dropped,
            message: String::new(),
        };
        verification.message = verification.describe(expectation, requests.len());
        verification
    }

    fn describe(&self, expectation: &Expectation, in_journal: usize) -> String {
        let mut lines = vec![format!("expected {expectation}; {}", self.describe_found())];
        for near_miss in &self.near_misses {
            let repeated = match near_miss.times {
                1 => String::new(),
                count => format!(" ({count} times)"),
            };
            lines.push(format!("near miss: {}{repeated}", near_miss.sentence));
        }
        if self.found < expectation.at_least && self.near_misses.is_empty() {
            let others = in_journal as u64 - self.found;
            lines.push(format!("no near misses; other requests: {others}"));
        }
        lines.extend(dropped(self.dropped).map(|dropped| dropped + ", or clear it before"));
        lines.join("\n")
    }

    fn describe_found(&self) -> String {
        let numbers: Vec<_> = self.numbers.iter().map(u64::to_string).collect();
        let all_or_first = match self.found > MAX_LISTED as u64 {
            true => "first as",
            false => "as",
        };
        match self.found {
            0 => "not received".to_owned(),
            1 => format!("received once, as request {}", numbers[0]),
            found => format!(
                "received {found} times, {all_or_first} requests {}",
                join(&numbers)
            ),
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Maximum number of different near misses in a report.
const MAX_NEAR_MISSES: usize = 3;

/// A request that almost matches a pattern.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::journal::{Expectation, RequestPattern};
///
/// let server = mock_server::MockServer::start().await;
/// let expected = Expectation::at_least(RequestPattern::new("PATCH", "/me/profile"), 1);
/// for near_miss in server.journal().verify(&expected).near_misses {
///     println!("{} ({} times)", near_miss.sentence, near_miss.times);
/// }
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearMiss {
    /// The request and its differences, such as
    /// ``received GET /me, but with the key `none` instead of `all` ``.
    pub sentence: String,
    /// Number of requests that the sentence describes.
    pub times: u64,
    /// The number of the latest of these requests.
    pub last_number: u64,
}

/// Returns the closest requests, closest first, grouped by their description.
fn near_misses(pattern: &RequestPattern, requests: &[Numbered]) -> Vec<NearMiss> {
    // The sort is stable: of equally close requests, the newest comes first.
    let newest_first = requests.iter().rev().map(Numbered::format);
    let ranked = newest_first.filter_map(|entry| Some((distance(pattern, &entry)?, entry)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    let mut near_misses: Vec<NearMiss> = Vec::new();
    for (_, entry) in ranked {
        let sentence = sentence(pattern, &entry);
        let mut listed = near_misses.iter_mut();
        if let Some(same) = listed.find(|one| one.sentence == sentence) {
            same.times += 1;
        } else if near_misses.len() < MAX_NEAR_MISSES {
            near_misses.push(NearMiss {
                sentence,
                times: 1,
                last_number: entry.number,
            });
        }
    }
    near_misses
}

/// Returns the distance of a request from the pattern, or `None` if it matches or if neither its
/// method nor its path does. A request to another path is the furthest away.
fn distance(pattern: &RequestPattern, entry: &RecordedRequest) -> Option<usize> {
    let differences = differences(pattern, entry).len();
    match (
        has_method(pattern, &entry.method),
        has_path(pattern, &entry.path),
    ) {
        (false, false) => None,
        (true, true) => (differences > 0).then_some(differences),
        (false, true) => Some(differences + 10),
        (true, false) => Some(differences + 100),
    }
}

fn sentence(pattern: &RequestPattern, entry: &RecordedRequest) -> String {
    let path = match entry.path.strip_prefix(BASE_PATH) {
        Some(path) if path.starts_with('/') => path.to_owned(),
        _ => format!("{} (outside {BASE_PATH})", entry.path),
    };
    let differences = join(&differences(pattern, entry));
    format!("received {} {path}, but {differences}", entry.method)
}
