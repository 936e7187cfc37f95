//! Fault injection: rules select requests, and faults damage their responses. This module only plans
//! faults; the transports apply them.

mod condition;
mod delay;
mod fault;
mod invalid;
mod large_body;
mod plan;
mod rule;
mod rules;
mod schedule;
mod wire;

pub use condition::{Match, Phase, When};
pub use delay::Delay;
pub use fault::Fault;
pub(crate) use large_body::BodyChunks;
pub(crate) use plan::{Plan, PlannedReply};
pub use rule::FaultRule;
pub(crate) use rules::FaultRules;
pub use wire::WireFault;
