//! `/state` and `/reset`: reads, replaces and resets a world. The webhook is a separate resource,
//! since its secret is never returned.

use super::error::ControlError;
use super::json::{done, json, read};
use super::world_call::WorldCall;
use crate::engine::{self, Reply, World};
use crate::webhook::Webhook;

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world = call.service.store().world()?;
    match call.request.query.as_deref() {
        None | Some("" | "rate_limit_windows=false") => world.reset_rate_limit_windows(),
        Some("rate_limit_windows=true") => {}
        Some(other) => {
            let message =
                format!("unknown query `{other}`; expected rate_limit_windows=true or none");
            return Err(ControlError::new(400, "unknown_parameter", message));
        }
    }
    world.webhook = Webhook::default();
    Ok(json(200, &world))
}

pub(super) fn replace(call: &WorldCall) -> Result<Reply, ControlError> {
    let world: World = read(call.request)?;
    engine::check(&world)?;
    call.service.replace(world)?;
    Ok(done())
}

pub(super) fn reset(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.reset()?;
    Ok(done())
}
