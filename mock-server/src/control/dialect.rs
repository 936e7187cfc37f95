//! `/dialect`: how a world speaks where the specification is silent.

use serde_json::Value;

use super::refusal::ControlRefusal;
use super::routes::{WorldCall, json};
use crate::engine::{Dialect, Reply, World};
use crate::json_object;

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let read = |world: &mut World| (world.dialect().clone(), false);
    Ok(json(200, &call.service.store().transact(read)?))
}

pub(super) fn set(call: &WorldCall) -> Result<Reply, ControlRefusal> {
    let choice = serde_json::from_slice(&call.request.body)?;
    let dialect = chosen(choice)?;
    let set = |world: &mut World| (world.set_dialect(dialect.clone()), true);
    call.service.store().transact(set)?;
    Ok(json(200, &dialect))
}

/// A dialect by its name, or by the settings that differ from the default.
pub(super) fn chosen(choice: Value) -> Result<Dialect, ControlRefusal> {
    match choice {
        Value::String(name) => Ok(Dialect::named(&name)?),
        settings => json_object::deserialize(settings).map_err(ControlRefusal::Settings),
    }
}
