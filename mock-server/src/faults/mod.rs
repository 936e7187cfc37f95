//! Fault injection: rules select requests, and faults damage their responses. This module only plans
//! faults; the transports apply them.

mod fault;
pub(crate) mod large_body;
mod plan;
mod rules;

pub use fault::{Fault, Phase, WireFault};
pub(crate) use plan::{FaultPlan, PlannedReply};
pub use rules::FaultRule;
pub(crate) use rules::{ActiveRule, FaultRules};
