//! Advice on habits of a client that the specification does not forbid.

use serde::Serialize;

/// Advice on a habit of the client that the specification does not forbid but that causes trouble with
/// a real service. It never fails a run.
///
/// ```
/// let verdicts = mock_server::Verdicts::default();
/// assert!(verdicts.advice.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The name of the habit: `retry_after_ignored`, `post_repeated` or `key_in_query`.
    pub habit: &'static str,
    /// The advice as a sentence.
    pub recommendation: &'static str,
    /// The number of requests that the advice is about.
    pub count: u64,
    /// The method, the endpoint and the problem of the first of them. Never contains a key.
    pub first: String,
}

/// A habit worth advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    RetryAfterIgnored,
    PostRepeated,
    KeyInQuery,
}

impl Advice {
    /// Returns the advice on a habit, for one request.
    pub(super) fn new(habit: Habit, first: String) -> Self {
        let (habit, recommendation) = match habit {
            Habit::RetryAfterIgnored => (
                "retry_after_ignored",
                "Wait for the time in Retry-After before sending the request again (RFC 9110, section \
                 10.2.3).",
            ),
            Habit::PostRepeated => (
                "post_repeated",
                "After a lost response, check with GET /api/v1/me before repeating a POST: the service may \
                 have carried it out.",
            ),
            Habit::KeyInQuery => (
                "key_in_query",
                "Send the key only in the Authorization header: URLs end up in logs.",
            ),
        };
        Self {
            habit,
            recommendation,
            count: 1,
            first,
        }
    }
}
