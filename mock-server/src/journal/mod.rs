//! The journal of received requests, and expectations about them.

mod difference;
mod entry;
mod expect;
mod expectation;
mod har;
#[expect(clippy::module_inception, reason = "a file is named after its type")]
mod journal;
mod request_pattern;

pub(crate) use entry::{Entry, Response, request_line};
pub use entry::{RecordedRequest, RequestOutcome};
pub use expect::Expect;
pub(crate) use expectation::ExpectationJson;
pub use expectation::{Expectation, NearMiss, Verification};
pub(crate) use har::{WorldRequests, archive};
pub(crate) use journal::PastJournals;
pub use journal::{Journal, JournalLimits};
pub use request_pattern::RequestPattern;
