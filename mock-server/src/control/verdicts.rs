//! `/violations` and `/coverage`: violations of the specification and coverage of its endpoints.

use super::error::ControlError;
use super::json::{done, json};
use super::world_call::WorldCall;
use crate::engine::{Reply, Verdicts};

pub(super) fn violations(call: &WorldCall) -> Result<Reply, ControlError> {
    let verdicts = call.service.verdicts();
    Ok(json(200, &verdicts.rules().collect::<Vec<_>>()))
}

pub(super) fn advice(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(json(200, &call.service.verdicts().advice))
}

/// Clears the violations and the advice. A suite gathers the coverage over all of its tests.
pub(super) fn clear_violations(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.change_verdicts(Verdicts::clear_violations);
    Ok(done())
}

pub(super) fn coverage(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(json(200, &call.service.verdicts().coverage))
}
