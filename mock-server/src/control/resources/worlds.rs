//! `/worlds`: lists, creates and deletes worlds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect;
use crate::control::api::Control;
use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::{self, ActiveKeys, Clock, Reply, Request, World};
use crate::input::read_json;
use crate::worlds::world_name::{DEFAULT, qualified_keys, world_url};

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
struct Created<'a> {
    id: &'a str,
    /// The base URL of this world.
    url: String,
    keys: ActiveKeys,
}

#[derive(Serialize)]
struct WorldEntry {
    url: String,
    id: String,
}

pub(in crate::control) fn list(
    control: &Control,
    request: &Request,
) -> Result<Reply, ControlError> {
    let server = control.url(request);
    let listed = control.worlds.names().into_iter().map(|id| WorldEntry {
        url: world_url(&server, &id),
        id,
    });
    Ok(Reply::json(200, &listed.collect::<Vec<_>>()))
}

pub(in crate::control) fn create(
    control: &Control,
    request: &Request,
) -> Result<Reply, ControlError> {
    let new = match request.body.as_slice() {
        [] => NewWorld::default(),
        _ => read_json::object::<NewWorld>(&request.body)?,
    };
    let mut world = match (new.state, new.seed) {
        (Some(_), Some(_)) => {
            let message = "`seed` and `state` cannot be combined; a state contains its own seed";
            return Err(ControlError::unprocessable("seed_and_state", message));
        }
        (Some(mut world), None) => {
            engine::check(&mut world)?;
            world
        }
        (None, seed) => {
            let seed = seed.unwrap_or_else(|| control.worlds.next_seed());
            let mut world = World::new(seed);
            world.set_dialect(control.worlds.initial_dialect().clone());
            world
        }
    };
    if let Some(clock) = new.clock {
        world.set_clock(Clock::try_from(clock)?);
    }
    if let Some(choice) = new.dialect {
        world.set_dialect(dialect::parse(choice)?);
    }
    let keys = world.active_keys();
    let id = &control.worlds.create(world);
    let url = world_url(&control.url(request), id);
    let keys = qualified_keys(id, keys);
    Ok(Reply::json(201, &Created { id, url, keys }))
}

pub(in crate::control) fn delete(call: &WorldCall) -> Result<Reply, ControlError> {
    if call.name == DEFAULT {
        let message = "the world `default` cannot be deleted; POST /_mock/v1/worlds/default/reset \
                       resets it";
        return Err(ControlError::new(409, "default_world", message));
    }
    call.control.worlds.delete(call.name);
    Ok(Reply::empty(204))
}
