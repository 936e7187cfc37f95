//! The result of checking an expectation.

use std::fmt;

use serde::Serialize;

use super::difference::matches;
use super::expectation::Expectation;
use super::near_miss::{NearMiss, near_misses};
use super::recorded_request::RecordedRequest;
use super::request_pattern::join;

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
///     "expected GET /me exactly once; not received\nno near misses: no requests received"
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
    pub(super) fn of(
        expectation: &Expectation,
        requests: &[RecordedRequest],
        dropped: u64,
    ) -> Self {
        let pattern = &expectation.request;
        let matching: Vec<_> = requests
            .iter()
            .filter(|request| matches(pattern, &(*request).into()))
            .map(|request| request.number)
            .collect();
        let found = matching.len() as u64;
        let near_misses = if found < expectation.at_least {
            near_misses(pattern, requests)
        } else {
            Vec::new()
        };
        let mut verification = Self {
            // A dropped request may have matched.
            satisfied: expectation.allows(found) && (dropped == 0 || expectation.at_most.is_none()),
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
            lines.push(match others {
                0 if self.found > 0 => "no other requests received".to_owned(),
                0 => "no near misses: no requests received".to_owned(),
                1 => "no near misses among 1 other request".to_owned(),
                _ => format!("no near misses among {others} other requests"),
            });
        }
        if self.dropped > 0 {
            let dropped = self.dropped;
            let plural = if dropped == 1 { "" } else { "s" };
            lines.push(format!(
                "the journal dropped {dropped} older request{plural}; raise its limits, or clear it before"
            ));
        }
        lines.join("\n")
    }

    fn describe_found(&self) -> String {
        let numbers: Vec<_> = self.numbers.iter().map(u64::to_string).collect();
        match self.found {
            0 => "not received".to_owned(),
            1 => format!("received once, as request {}", numbers[0]),
            found if found > MAX_LISTED as u64 => {
                format!(
                    "received {found} times, first as requests {}",
                    join(&numbers)
                )
            }
            found => format!("received {found} times, as requests {}", join(&numbers)),
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
