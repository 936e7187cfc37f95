//! The journal of received requests, and expectations about them.

mod difference;
mod entry;
mod expect;
mod expectation;
#[expect(clippy::module_inception, reason = "a file is named after its type")]
mod journal;
mod limits;
mod log;
mod near_miss;
mod recorded_request;
mod request_outcome;
mod request_pattern;
mod verification;

pub(crate) use entry::{Entry, Response};
pub use expect::Expect;
pub use expectation::Expectation;
pub(crate) use expectation::ExpectationJson;
pub use journal::Journal;
pub use limits::JournalLimits;
pub(crate) use log::Numbered;
pub use near_miss::NearMiss;
pub use recorded_request::RecordedRequest;
pub use request_outcome::RequestOutcome;
pub use request_pattern::RequestPattern;
pub use verification::Verification;
