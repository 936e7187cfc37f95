//! `/dialect`: the dialect of a world.

use serde_json::Value;

use crate::control::api::Control;
use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::dialect::{DialectFile, settings_with_alternatives};
use crate::engine::{Dialect, Reply, Request, World};
use crate::input::InvalidInput;
use crate::input::read_json::{self, BAD_BODY};

/// Returns all settings, for test suites that run once per alternative.
pub(in crate::control) fn settings(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, &settings_with_alternatives()))
}

pub(in crate::control) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    let read = |world: &mut World| (world.dialect().clone(), false);
    Ok(Reply::json(200, &call.service.store.transact(read)?))
}

pub(in crate::control) fn set(call: &WorldCall) -> Result<Reply, ControlError> {
    let dialect = parse(read_json::value(&call.request.body)?)?;
    let set = |world: &mut World| (world.set_dialect(dialect.clone()), true);
    call.service.store.transact(set)?;
    Ok(Reply::json(200, &dialect))
}

/// Parses a dialect name, an object of settings that differ from the default, or the content of a
/// dialect file.
pub(in crate::control) fn parse(choice: Value) -> Result<Dialect, ControlError> {
    match choice {
        Value::String(name) => Ok(Dialect::named(&name)?),
        Value::Object(_) => Ok(DialectFile::from_value(choice)?.settings),
        _ => Err(
            InvalidInput::new(BAD_BODY, "expected a dialect name or an object of settings").into(),
        ),
    }
}
