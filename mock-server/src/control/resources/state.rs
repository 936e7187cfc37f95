//! `/state` and `/reset`: reads, replaces and resets a world. The webhook is a separate resource,
//! since its secret is never returned.

use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::webhook::Webhook;
use crate::engine::{self, Reply, World};
use crate::input::read_json;

pub(in crate::control) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world = call.service.store.world()?;
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
    Ok(Reply::json(200, &world))
}

pub(in crate::control) fn replace(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world: World = read_json::object(&call.request.body)?;
    engine::check(&mut world)?;
    call.service.replace(world)?;
    Ok(Reply::empty(204))
}

pub(in crate::control) fn reset(call: &WorldCall) -> Result<Reply, ControlError> {
    call.service.reset()?;
    Ok(Reply::empty(204))
}
