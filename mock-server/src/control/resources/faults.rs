//! `/faults`: the fault rules of a world.

use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::Reply;
use crate::faults::FaultRule;

pub(in crate::control) fn list(call: &WorldCall) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, &call.service.faults.counted()))
}

/// Adds one rule or an array of rules.
pub(in crate::control) fn add(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service
        .faults
        .add(FaultRule::from_slice(&call.request.body)?)?;
    Ok(Reply::json(201, &call.service.faults.counted()))
}

pub(in crate::control) fn remove(call: &WorldCall) -> Result<Reply, ControlError> {
    let id = call.parameter.parse();
    match id.is_ok_and(|id| call.service.faults.remove(id)) {
        true => Ok(Reply::empty(204)),
        false => {
            let message = format!(
                "no fault rule has the id `{}`; GET the rules to see their ids",
                call.parameter
            );
            Err(ControlError::new(404, "unknown_fault", message))
        }
    }
}

pub(in crate::control) fn clear(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.faults.clear();
    Ok(Reply::empty(204))
}
