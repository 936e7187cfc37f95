//! `/keys`: lists, creates and revokes keys of a world.

use serde::{Deserialize, Serialize};

use crate::control::error::ControlError;
use crate::control::world_call::WorldCall;
use crate::engine::{RateLimit, Reply, Scope};
use crate::input::read_json;
use crate::redaction::label;
use crate::worlds::world_name::{plain_key, qualified_key, qualified_keys};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKey {
    handle: String,
    scopes: Vec<Scope>,
    rate_limit: Option<RateLimit>,
}

#[derive(Serialize)]
struct CreatedKey<'a> {
    key: String,
    /// The name of the key in the journal.
    name: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyToDelete {
    key: String,
}

pub(in crate::control) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    let keys = call
        .service
        .store
        .transact(|world| (world.active_keys(), false))?;
    Ok(Reply::json(200, &qualified_keys(call.name, keys)))
}

pub(in crate::control) fn create(call: &WorldCall) -> Result<Reply, ControlError> {
    let new: NewKey = read_json::object(&call.request.body)?;
    if new.handle.is_empty() {
        let message = "the handle is empty; expected a handle such as `demo`";
        return Err(ControlError::unprocessable("empty_handle", message));
    }
    let key = call.service.store.transact(|world| {
        let key = world.create_key(&new.handle, &new.scopes);
        if let Some(limit) = new.rate_limit {
            world.set_rate_limit(&key, limit);
        }
        (key, true)
    })?;
    let created = CreatedKey {
        name: label(&key),
        key: qualified_key(call.name, &key),
    };
    Ok(Reply::json(201, &created))
}

pub(in crate::control) fn delete(call: &WorldCall) -> Result<Reply, ControlError> {
    let KeyToDelete { key } = read_json::object(&call.request.body)?;
    let removed = call.service.store.transact(|world| {
        let removed = world.remove_key(plain_key(call.name, &key));
        (removed, removed)
    });
    match removed? {
        true => Ok(Reply::empty(204)),
        false => {
            let message = "this world has no such key";
            Err(ControlError::new(404, "unknown_key", message))
        }
    }
}
