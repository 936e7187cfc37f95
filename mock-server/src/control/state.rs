//! `/state` and `/reset`: the whole of a world, read, replaced or begun anew.

use super::refusal::ControlRefusal;
use super::routes::{WorldCall, done, json, read};
use crate::engine::Reply;

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    Ok(json(200, &call.service.store().world()?))
}

pub(super) fn replace(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    call.service.store().replace(read(call.request)?)?;
    Ok(done())
}

pub(super) fn reset(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    call.service.reset()?;
    Ok(done())
}
