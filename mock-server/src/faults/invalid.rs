//! Why a fault rule cannot be followed.

use super::filler::SHORTEST_FILLING;
use crate::engine::InvalidInstant;
use crate::never_matches::NeverMatches;

/// What is wrong with a fault rule. Nothing was added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidFault {
    /// The text is no rule.
    #[error("it is no fault rule: {reason}")]
    NotARule {
        /// What was found and what was expected.
        reason: String,
    },
    /// One of several rules is wrong, and none was added.
    #[error("rule {number}: {reason}")]
    InList {
        /// Which rule; the first is 1.
        number: usize,
        /// What is wrong with it.
        reason: Box<InvalidFault>,
    },
    /// No request can match.
    #[error(transparent)]
    NeverMatches(#[from] NeverMatches),
    /// The rule would never strike.
    #[error("times is 0, and the rule would never strike; give at least 1, or leave it out")]
    NoTimes,
    /// An answer of the status has no body.
    #[error("an answer of status {status} has no body; leave the body out, or give another status")]
    NoRoomForBody {
        /// The status that was given.
        status: u16,
    },
    /// No JSON of ours is as short.
    #[error("the body has {bytes} bytes; at least {SHORTEST_FILLING} are needed for JSON")]
    TooShort {
        /// What was given.
        bytes: u64,
    },
    /// The probability is none, or the rule would never strike.
    #[error("the probability is {found}; a number above 0 and up to 1 is expected")]
    Probability {
        /// What was given.
        found: f64,
    },
    /// The time at which the rule is to end is none.
    #[error("until: {0}")]
    Until(#[source] InvalidInstant),
    /// The status is out of range.
    #[error("the status is {found}; {least} to {most} is allowed for this fault")]
    Status {
        /// What was given.
        found: u16,
        /// The least that is allowed.
        least: u16,
        /// The most that is allowed.
        most: u16,
    },
    /// The name of a header is none.
    #[error("`{found}` is no name of a header")]
    HeaderName {
        /// What was given.
        found: String,
    },
    /// The server alone can say how long a body is.
    #[error("the header {name} follows from the body and cannot be set; leave it out")]
    FramingHeader {
        /// The header's name.
        name: String,
    },
    /// No header can have this value.
    #[error("the value of the header {name} has characters that no header can carry")]
    HeaderValue {
        /// The header's name.
        name: String,
    },
    /// The bounds of a delay are the wrong way round.
    #[error("the delay goes from {from} to {to}; the first may not be the larger one")]
    Bounds {
        /// The lower bound, in milliseconds.
        from: u64,
        /// The upper bound, in milliseconds.
        to: u64,
    },
    /// The spread of a delay is none.
    #[error("sigma is {found}; a number from 0 to 10 is expected")]
    Sigma {
        /// What was given.
        found: f64,
    },
    /// The pieces of a dribble are empty.
    #[error("the pieces of a dribble have 0 bytes; at least 1 is needed")]
    EmptyPieces,
    /// The server would have to hold too long a body in memory.
    #[error(
        "a body of {bytes} bytes is too long to be held in memory, where {limit} are allowed; \
         start the server with MockServer::builder().wire_faults() to have it made while it is sent"
    )]
    TooLongToHold {
        /// How many bytes would be sent.
        bytes: u64,
        /// How many may be.
        limit: u64,
    },
    /// The server cannot reach below HTTP.
    #[error(
        "this server has no hand on its sockets; start it with MockServer::builder().wire_faults()"
    )]
    NeedsWireFaults,
}
