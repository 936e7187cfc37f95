//! `/state` and `/reset`: a world, read, replaced or begun anew. Its webhook, whose secret nobody is
//! told, is a resource of its own.

use super::refusal::ControlRefusal;
use super::routes::{WorldCall, done, json, read};
use crate::engine::{self, Reply, World};

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let world = call.service.store().world()?;
    Ok(json(200, &world.without_webhook()))
}

pub(super) fn replace(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let world: World = read(call.request)?;
    engine::check(&world)?;
    call.service.replace(world)?;
    Ok(done())
}

pub(super) fn reset(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    call.service.reset()?;
    Ok(done())
}
