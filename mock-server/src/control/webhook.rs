//! `/webhook`: the receiver, events and deliveries of a world. The secret is never returned.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ControlError, ControlReply, WorldCall, ok};
use crate::engine::Reply;
use crate::engine::webhook::{EventData, EventKind, NewDelivery, Receiver};
use crate::input::{BytesInJson, read_json};
use crate::webhook::WebhookHandle;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    url: Option<String>,
    /// The script of the built-in receiver.
    script: Option<Value>,
    /// Required for the first receiver; later receivers keep the secret by default.
    secret: Option<BytesInJson>,
    active: Option<bool>,
}

pub(super) fn show(call: &WorldCall) -> Result<Reply, ControlError> {
    ok(&WebhookHandle::new(&call.service).status()?)
}

pub(super) fn change(call: &WorldCall) -> Result<Reply, ControlError> {
    let change: Change = read_json::object(&call.request.body)?;
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
    show(call)
}

pub(super) fn deliveries(call: &WorldCall) -> Result<Reply, ControlError> {
    ok(&WebhookHandle::new(&call.service).deliveries()?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    kind: String,
    #[serde(default, deserialize_with = "read_json::nullable")]
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
    let Event { kind, data, body } = read_json::object(&call.request.body)?;
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
    let Redelivery { id } = read_json::object(&call.request.body)?;
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
