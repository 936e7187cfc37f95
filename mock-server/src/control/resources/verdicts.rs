//! `/violations` and `/coverage`: violations of the specification and coverage of its endpoints.

use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::{Reply, Verdicts};

pub(in crate::control) fn violations(call: &WorldCall) -> Result<Reply, ControlError> {
    let verdicts = call.service.verdicts();
    Ok(Reply::json(200, &verdicts.rules().collect::<Vec<_>>()))
}

pub(in crate::control) fn advice(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, &call.service.verdicts().advice))
}

/// Clears the violations and the advice. A suite gathers the coverage over all of its tests.
pub(in crate::control) fn clear_violations(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.change_verdicts(Verdicts::clear_violations);
    Ok(Reply::empty(204))
}

pub(in crate::control) fn coverage(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, &call.service.verdicts().coverage))
}
