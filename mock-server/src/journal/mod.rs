//! The journal: which requests came and what was answered, bounded and without keys, and what a test
//! can ask of it.

mod body_difference;
mod difference;
mod entry;
mod expect;
mod expectation;
mod limits;
mod log;
mod near_miss;
mod pattern_check;
mod recorded_request;
mod request_pattern;
mod shared;
mod verification;

pub(crate) use entry::Answered;
pub use expect::Expect;
pub(crate) use expectation::WrittenExpectation;
pub use expectation::{Expectation, InvalidExpectation};
pub use limits::JournalLimits;
pub use near_miss::NearMiss;
pub use recorded_request::RecordedRequest;
pub use request_pattern::RequestPattern;
pub use shared::Journal;
pub use verification::Verification;
