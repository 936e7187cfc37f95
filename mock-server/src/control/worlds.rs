//! `/worlds`, and the state, keys, dialect and clock of a world. The webhook is a separate resource,
//! since its secret is never returned.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Control, ControlError, WorldCall, ok};
use crate::engine::dialect::DialectFile;
use crate::engine::webhook::Webhook;
use crate::engine::{
    self, Clock, Dialect, Key, LAST_INSTANT, RateLimit, Reply, Request, Scope, World,
};
use crate::input::{BAD_BODY, InvalidInput, read_json};
use crate::redaction::label;
use crate::worlds::{DEFAULT, plain_key, qualified_key, qualified_keys, world_url};

/// The settings of a new world. All fields, and the whole body, are optional.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewWorld {
    seed: Option<u64>,
    /// A whole state, which includes a seed; `clock` and `dialect` override those of the state.
    state: Option<World>,
    clock: Option<String>,
    /// A name or an object of settings.
    dialect: Option<Value>,
}

#[derive(Serialize)]
struct WorldEntry {
    url: String,
    id: String,
}

pub(super) fn list_worlds(control: &Control, request: &Request) -> Result<Reply, ControlError> {
    let server = control.url(request);
    let listed = control.worlds.names().into_iter().map(|id| WorldEntry {
        url: world_url(&server, &id),
        id,
    });
    ok(&listed.collect::<Vec<_>>())
}

pub(super) fn create_world(control: &Control, request: &Request) -> Result<Reply, ControlError> {
    let new = match request.body.as_slice() {
        [] => NewWorld::default(),
        _ => read_json::object::<NewWorld>(&request.body)?,
    };
    let mut world = match (new.state, new.seed) {
        (Some(_), Some(_)) => {
            let message = "`seed` and `state` cannot be combined; a state contains its own seed";
            return Err(ControlError::new(422, "seed_and_state", message));
        }
        (Some(mut world), None) => {
            engine::check(&mut world)?;
            world
        }
        (None, seed) => {
            let seed = seed.unwrap_or_else(|| control.worlds.next_seed());
            let mut world = World::new(seed);
            world.set_dialect(control.worlds.default().initial.dialect().clone());
            world
        }
    };
    if let Some(clock) = new.clock {
        world.set_clock(Clock::try_from(clock)?);
    }
    if let Some(choice) = new.dialect {
        world.set_dialect(parse_dialect(choice)?);
    }
    let keys = world.active_keys();
    let id = &control.worlds.create(world);
    let url = world_url(&control.url(request), id);
    let keys = qualified_keys(id, keys);
    Ok(Reply::fields(201, |object| {
        object.string("id", id);
        object.string("url", &url);
        object.value("keys", &keys);
    }))
}

pub(super) fn delete_world(call: &WorldCall) -> Result<Reply, ControlError> {
    if call.name == DEFAULT {
        let message = "the world `default` cannot be deleted; POST /_mock/v1/worlds/default/reset \
                       resets it";
        return Err(ControlError::new(409, "default_world", message));
    }
    call.control.worlds.delete(call.name);
    Ok(Reply::empty(204))
}

pub(super) fn show_state(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world = call.service.store.world()?;
    world.keys.values_mut().for_each(Key::reset_window);
    world.webhook = Webhook::default();
    ok(&world)
}

pub(super) fn replace_state(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world: World = read_json::object(&call.request.body)?;
    engine::check(&mut world)?;
    call.service.replace(world)?;
    Ok(Reply::empty(204))
}

pub(super) fn reset(call: &WorldCall) -> Result<Reply, ControlError> {
    call.control.worlds.reset(call.name)?;
    Ok(Reply::empty(204))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKey {
    handle: String,
    scopes: Vec<Scope>,
    rate_limit: Option<RateLimit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyToDelete {
    key: String,
}

pub(super) fn show_keys(call: &WorldCall) -> Result<Reply, ControlError> {
    let keys = call.service.store.read(World::active_keys)?;
    ok(&qualified_keys(call.name, keys))
}

pub(super) fn create_key(call: &WorldCall) -> Result<Reply, ControlError> {
    let new: NewKey = read_json::object(&call.request.body)?;
    if new.handle.is_empty() {
        let message = "the handle is empty; expected a handle such as `demo`";
        return Err(ControlError::new(422, "empty_handle", message));
    }
    let key = call.service.store.update(|world| {
        let key = world.create_key(&new.handle, &new.scopes);
        if let Some(limit) = new.rate_limit {
            let set = world.set_rate_limit(&key, limit);
            set.expect("the key was just created");
        }
        key
    })?;
    Ok(Reply::fields(201, |object| {
        object.string("key", &qualified_key(call.name, &key));
        // The name of the key in the journal.
        object.value("name", &label(&key));
    }))
}

pub(super) fn delete_key(call: &WorldCall) -> Result<Reply, ControlError> {
    let KeyToDelete { key } = read_json::object(&call.request.body)?;
    let removed = call.service.store.transact(|world| {
        let key = plain_key(call.name, &key);
        let removed = world.keys.remove(key).is_some();
        (removed, removed)
    });
    if removed? {
        return Ok(Reply::empty(204));
    }
    let message = "this world has no such key";
    Err(ControlError::new(404, "unknown_key", message))
}

pub(super) fn set_dialect(call: &WorldCall) -> Result<Reply, ControlError> {
    let dialect = parse_dialect(read_json::value(&call.request.body)?)?;
    let store = &call.service.store;
    store.update(|world| world.set_dialect(dialect.clone()))?;
    ok(&dialect)
}

/// Parses a dialect name, an object of settings that differ from the default, or the content of a
/// dialect file.
fn parse_dialect(choice: Value) -> Result<Dialect, ControlError> {
    match choice {
        Value::String(name) => Ok(Dialect::named(&name)?),
        Value::Object(_) => Ok(DialectFile::from_value(choice)?.settings),
        _ => {
            let message = "expected a dialect name or an object of settings";
            Err(InvalidInput::new(BAD_BODY, message).into())
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockChange {
    /// The JSON form of [`Clock`].
    clock: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockAdvance {
    seconds: u64,
}

pub(super) fn set_clock(call: &WorldCall) -> Result<Reply, ControlError> {
    let ClockChange { clock } = read_json::object(&call.request.body)?;
    let clock = Clock::try_from(clock)?;
    let view = call.service.store.update(|world| {
        world.set_clock(clock);
        clock_view(world)
    });
    Ok(view?)
}

pub(super) fn advance_clock(call: &WorldCall) -> Result<Reply, ControlError> {
    let ClockAdvance { seconds } = read_json::object(&call.request.body)?;
    let time = Duration::from_secs(seconds);
    call.service.store.try_update(|world| {
        if !world.clock().can_advance(time) {
            let message = format!(
                "cannot advance by {seconds} s; the latest time of a clock is {LAST_INSTANT}"
            );
            return Err(ControlError::new(422, "clock_out_of_range", message));
        }
        world.advance(time);
        Ok(clock_view(world))
    })
}

/// Returns the current time and the JSON form of the clock.
pub(super) fn clock_view(world: &World) -> Reply {
    Reply::fields(200, |object| {
        object.string("now", &world.clock().timestamp().to_string());
        object.value("clock", world.clock());
    })
}
