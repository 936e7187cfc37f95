//! Everything that goes wrong on demand: rules say when, faults say how. Pure but for the counters
//! of the rules; the transports do what comes out.

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
