//! The requests that are closest to a pattern, and their differences.

use serde::Serialize;

use super::difference::{differences, has_method, has_path};
use super::recorded_request::RecordedRequest;
use super::request_pattern::{RequestPattern, join};
use crate::engine::BASE_PATH;

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
pub(super) fn near_misses(pattern: &RequestPattern, requests: &[RecordedRequest]) -> Vec<NearMiss> {
    let mut ranked: Vec<_> = requests
        .iter()
        .filter_map(|entry| Some((distance(pattern, entry)?, entry)))
        .collect();
    // The sort is stable: of equally close requests, the newest comes first.
    ranked.reverse();
    ranked.sort_by_key(|(distance, _)| *distance);
    let mut near_misses: Vec<NearMiss> = Vec::new();
    for (_, entry) in ranked {
        let sentence = sentence(pattern, entry);
        if let Some(near_misses) = near_misses
            .iter_mut()
            .find(|near_misses| near_misses.sentence == sentence)
        {
            near_misses.times += 1;
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
    let received = entry.into();
    let differences = differences(pattern, &received).len();
    match (has_method(pattern, &received), has_path(pattern, &received)) {
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
    let differences = join(&differences(pattern, &entry.into()));
    format!("received {} {path}, but {differences}", entry.method)
}
