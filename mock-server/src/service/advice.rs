//! Finds client behavior to advise against, in single requests and in sequences.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::engine::{
    AdviceKind, Endpoint, KEY_IN_QUERY, POST_REPEATED, RETRY_AFTER_IGNORED, Request,
};
use crate::faults::{PlannedReply, WireFault};
use crate::journal::Entry;

/// Maximum number of responses to remember.
const MAX_RESPONSES: usize = 256;

/// The latest responses that can make a later request a mistake.
#[derive(Debug, Default)]
pub(crate) struct RecentResponses(VecDeque<Remembered>);

#[derive(Debug)]
struct Remembered {
    request: u64,
    key: u64,
    response: Response,
}

#[derive(Debug)]
enum Response {
    /// The request must wait, by the clock of the machine and by that of the world.
    RetryAfter {
        since: Instant,
        wait: Duration,
        until: Timestamp,
    },
    /// The client does not know the result of its POST.
    Lost { fault: &'static str },
}

impl RecentResponses {
    /// Compares a recorded request to an endpoint with earlier responses, and remembers its own response.
    pub(crate) fn observe(
        &mut self,
        entry: &Entry,
        endpoint: Endpoint,
        planned: &PlannedReply,
    ) -> Vec<(AdviceKind, String)> {
        let request = &entry.request;
        let mut found = Vec::new();
        let mut add = |kind, problem: &str| found.push((kind, format!("{endpoint}: {problem}")));
        if let Some(query) = &request.query
            && request.secrets(&entry.other_keys).redact(query) != *query
        {
            add(KEY_IN_QUERY, "the query contains a key");
        }
        match self.take(request) {
            Some(Response::RetryAfter { since, wait, until }) => {
                let waited = since.elapsed();
                if waited < wait && entry.at < until {
                    let (waited, wait) = (waited.as_secs_f64(), wait.as_secs());
                    let requested = format!("Retry-After requested {wait} s");
                    let problem = format!("sent again after {waited:.3} s; {requested}");
                    add(RETRY_AFTER_IGNORED, &problem);
                }
            }
            Some(Response::Lost { fault }) => {
                let problem = format!("sent again after its response was lost ({fault})");
                add(POST_REPEATED, &problem);
            }
            None => {}
        }
        let is_read = endpoint == Endpoint::ReadMe && planned.status() == Some(200);
        if is_read && !self.0.is_empty() {
            let key = hash(request.authorization());
            let is_lost = |one: &Remembered| matches!(one.response, Response::Lost { .. });
            self.0.retain(|one| one.key != key || !is_lost(one));
        }
        if let Some(response) = worth_remembering(entry, planned) {
            if self.0.len() == MAX_RESPONSES {
                self.0.pop_front();
            }
            self.0.push_back(Remembered {
                request: identity(request),
                key: hash(request.authorization()),
                response,
            });
        }
        found
    }

    /// Removes the response to an equal request.
    fn take(&mut self, request: &Request) -> Option<Response> {
        if self.0.is_empty() {
            return None;
        }
        let request = identity(request);
        let place = self.0.iter().position(|one| one.request == request)?;
        Some(self.0.remove(place)?.response)
    }
}

fn worth_remembering(entry: &Entry, planned: &PlannedReply) -> Option<Response> {
    if planned.wire.is_some_and(WireFault::loses_response) {
        let fault = entry.fault.unwrap_or_default();
        return (entry.request.method == "POST").then_some(Response::Lost { fault });
    }
    if planned.code < 300 {
        return None;
    }
    let mut headers = planned.headers.iter();
    let (_, value) = headers.find(|(name, _)| name == "retry-after")?;
    let wait = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
            date.duration_since(entry.at).try_into().ok()?
        }
    };
    let since = Instant::now();
    let until = entry.at.checked_add(wait).unwrap_or(Timestamp::MAX);
    Some(Response::RetryAfter { since, wait, until })
}

/// Returns the hash of a whole request without its other headers.
fn identity(request: &Request) -> u64 {
    let target = (&request.method, &request.path, &request.query);
    hash((target, &request.body, request.authorization()))
}

fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(value)
}
