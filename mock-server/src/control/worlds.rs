//! `/worlds`, and the state, keys, dialect, clock and webhook of a world. The webhook is not part of the state,
//! since its secret is never returned.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Control, ControlError, ControlReply, WorldCall, ok};
use crate::engine::dialect::DialectFile;
use crate::engine::webhook::{EventData, EventKind, NewDelivery, Receiver, Webhook};
use crate::engine::{
    self, Clock, Dialect, Key, LAST_INSTANT, RateLimit, Reply, Request, Scope, World,
};
use crate::input::{self, BAD_BODY, BytesInJson, InvalidInput};
use crate::redaction::label;
use crate::webhook::WebhookHandle;
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
        _ => input::object::<NewWorld>(&request.body)?,
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

pub(super) fn delete_world(call: &WorldCall) -> Result<(), ControlError> {
    if call.name == DEFAULT {
        let message = "the world `default` cannot be deleted; POST /_mock/v1/worlds/default/reset \
                       resets it";
        return Err(ControlError::new(409, "default_world", message));
    }
    call.control.worlds.delete(call.name);
    Ok(())
}

pub(super) fn show_state(call: &WorldCall) -> Result<Reply, ControlError> {
    let mut world = call.service.store.world()?;
    world.keys.values_mut().for_each(Key::reset_window);
    world.webhook = Webhook::default();
    ok(&world)
}

pub(super) fn replace_state(call: &WorldCall) -> Result<(), ControlError> {
    let mut world: World = input::object(&call.request.body)?;
    engine::check(&mut world)?;
    Ok(call.service.replace(world)?)
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
    let new: NewKey = input::object(&call.request.body)?;
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

pub(super) fn delete_key(call: &WorldCall) -> Result<(), ControlError> {
    let KeyToDelete { key } = input::object(&call.request.body)?;
    call.service.store.try_update(|world| {
        let removed = world.keys.remove(plain_key(call.name, &key));
        let unknown = || ControlError::new(404, "unknown_key", "this world has no such key");
        removed.map(drop).ok_or_else(unknown)
    })
}

pub(super) fn set_dialect(call: &WorldCall) -> Result<Reply, ControlError> {
    let dialect = parse_dialect(input::value(&call.request.body)?)?;
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
    let ClockChange { clock } = input::object(&call.request.body)?;
    let clock = Clock::try_from(clock)?;
    let view = call.service.store.update(|world| {
        world.set_clock(clock);
        clock_view(world)
    });
    Ok(view?)
}

pub(super) fn advance_clock(call: &WorldCall) -> Result<Reply, ControlError> {
    let ClockAdvance { seconds } = input::object(&call.request.body)?;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookChange {
    url: Option<String>,
    /// The script of the built-in receiver.
    script: Option<Value>,
    /// Required for the first receiver; later receivers keep the secret by default.
    secret: Option<BytesInJson>,
    active: Option<bool>,
}

pub(super) fn show_webhook(call: &WorldCall) -> Result<Reply, ControlError> {
    ok(&WebhookHandle::new(&call.service).status()?)
}

pub(super) fn change_webhook(call: &WorldCall) -> Result<Reply, ControlError> {
    let change: WebhookChange = input::object(&call.request.body)?;
    if change.active == Some(false) {
        let message = "`active` cannot be set to false; only 10 consecutive failed deliveries turn a \
             webhook off";
        return Err(ControlError::new(422, "cannot_turn_off", message));
    }
    let webhook = WebhookHandle::new(&call.service);
    let secret = change.secret.map(|BytesInJson(bytes)| bytes);
    match (change.url, change.script) {
        (Some(_), Some(_)) => {
            let message = "`url` and `script` cannot be combined; remove one of them";
            return Err(ControlError::new(422, "two_receivers", message));
        }
        (Some(url), None) => webhook.use_receiver(Receiver::Url(url.try_into()?), secret)?,
        (None, Some(script)) => {
            webhook.use_receiver(Receiver::built_in(script.try_into()?), secret)?;
        }
        (None, None) if secret.is_some() || change.active.is_none() => {
            let message = "the request has no receiver; set `url` or `script`, or only `active`";
            return Err(ControlError::new(422, "no_change", message));
        }
        (None, None) => webhook.turn_on()?,
    }
    show_webhook(call)
}

pub(super) fn list_deliveries(call: &WorldCall) -> Result<Reply, ControlError> {
    ok(&WebhookHandle::new(&call.service).deliveries()?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    kind: String,
    #[serde(default, deserialize_with = "input::nullable")]
    data: Option<Value>,
    /// The whole body of the delivery, instead of `data`.
    body: Option<BytesInJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Redelivery {
    id: String,
}

pub(super) fn emit(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let Event { kind, data, body } = input::object(&call.request.body)?;
    let data = match (data, body) {
        (Some(_), Some(_)) => {
            let message = "`data` and `body` cannot be combined; remove one of them";
            return Err(ControlError::new(422, "data_and_body", message));
        }
        (Some(data), None) => EventData::Json(data),
        (None, Some(BytesInJson(body))) => EventData::Bytes(body),
        (None, None) => EventData::Json(Value::Object(Map::new())),
    };
    deliver(call, NewDelivery::Event(EventKind::new(kind)?, data))
}

pub(super) fn redeliver(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let Redelivery { id } = input::object(&call.request.body)?;
    deliver(call, NewDelivery::Redelivery(id))
}

fn deliver(call: &WorldCall, new: NewDelivery) -> Result<ControlReply, ControlError> {
    let delivering = WebhookHandle::new(&call.service).start(new)?;
    Ok(Box::pin(async {
        match delivering.await {
            Ok(delivery) => Reply::json(200, &delivery),
            Err(error) => ControlError::from(error).0,
        }
    }))
}
