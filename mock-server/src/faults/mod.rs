//! Fault injection: rules select requests, and faults damage their responses. This module only plans
//! faults; the transports apply them.

mod fault;
mod invalid;
mod large_body;
mod phase;
mod plan;
mod rule;
mod rules;
mod wire;

pub use fault::Fault;
pub use phase::Phase;
pub(crate) use plan::{Plan, PlannedReply};
pub use rule::FaultRule;
pub(crate) use rules::FaultRules;
pub use wire::WireFault;
