//! `/webhook`: the receiver, events and deliveries of a world. The secret is never returned.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::call::{ControlReply, WorldCall};
use super::error::ControlError;
use crate::engine::Reply;
use crate::engine::webhook::{
    EventData, NotSent, Prepared, Receiver, ReceiverScript, WebhookSecret, WebhookStatus,
};
use crate::input::InvalidInput;
use crate::input::bytes_in_json::BytesInJson;
use crate::input::read_json::{self, BAD_BODY};
use crate::tasks::run_blocking;
use crate::webhook::{self, WebhookHandle, send};

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
    let status = WebhookHandle::new(&call.service).status()?;
    Ok(Reply::json(200, &status))
}

pub(super) fn change(call: &WorldCall) -> Result<Reply, ControlError> {
    let change: Change = read_json::object(&call.request.body)?;
    if change.active == Some(false) {
        let message = "`active` cannot be set to false; only 10 consecutive failed deliveries turn a \
             webhook off";
        return Err(ControlError::unprocessable("cannot_turn_off", message));
    }
    let status = match (change.url, change.script) {
        (Some(_), Some(_)) => {
            let message = "`url` and `script` cannot be combined; remove one of them";
            return Err(ControlError::unprocessable("two_receivers", message));
        }
        (Some(url), None) => set_receiver(call, Receiver::Url(url.parse()?), change.secret)?,
        (None, Some(script)) => set_receiver(call, built_in(script)?, change.secret)?,
        (None, None) if change.secret.is_some() || change.active.is_none() => {
            let message = "the request has no receiver; set `url` or `script`, or only `active`";
            return Err(ControlError::unprocessable("no_change", message));
        }
        (None, None) => turn_on(call)?,
    };
    Ok(Reply::json(200, &status))
}

pub(super) fn deliveries(call: &WorldCall) -> Result<Reply, ControlError> {
    let deliveries = WebhookHandle::new(&call.service).deliveries()?;
    Ok(Reply::json(200, &deliveries))
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
            return Err(ControlError::unprocessable("data_and_body", message));
        }
        (Some(data), None) => EventData::Json(data),
        (None, Some(BytesInJson(body))) => EventData::Bytes(body),
        (None, None) => EventData::Json(Value::Object(Map::new())),
    };
    let prepared = WebhookHandle::new(&call.service).prepare_event(&kind, data)?;
    Ok(deliver(call, prepared))
}

pub(super) fn redeliver(call: &WorldCall) -> Result<ControlReply, ControlError> {
    let Redelivery { id } = read_json::object(&call.request.body)?;
    let prepared = WebhookHandle::new(&call.service).prepare_redelivery(&id)?;
    Ok(deliver(call, prepared))
}

/// Sends in a separate task, so that the outcome is recorded even if the client disconnects.
fn deliver(call: &WorldCall, prepared: Prepared) -> ControlReply {
    let pending = match prepared {
        Prepared::Delivered(delivery) => return ControlReply::Now(Reply::json(200, &delivery)),
        Prepared::Pending(pending) => pending,
    };
    let service = call.service.clone();
    let delivering = async move {
        let delivery = send(pending, service.mutant).await;
        match run_blocking(move || WebhookHandle::new(&service).record(delivery)).await {
            Ok(delivery) => Reply::json(200, &delivery),
            Err(error) => ControlError::from(error).0,
        }
    };
    ControlReply::Later(Box::pin(async {
        let delivered = tokio::spawn(delivering).await;
        delivered.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
    }))
}

fn set_receiver(
    call: &WorldCall,
    receiver: Receiver,
    secret: Option<BytesInJson>,
) -> Result<WebhookStatus, ControlError> {
    let secret = secret.map(|BytesInJson(bytes)| WebhookSecret::new(bytes));
    let secret = secret.transpose()?;
    call.service.store.try_update(|world| {
        let webhook = &mut world.webhook;
        let Some(secret) = secret.or_else(|| webhook.secret().cloned()) else {
            let message = "the webhook has no secret yet; add `secret`";
            return Err(ControlError::unprocessable("no_secret", message));
        };
        webhook.set_receiver(receiver, secret);
        Ok(webhook.status())
    })
}

fn turn_on(call: &WorldCall) -> Result<WebhookStatus, ControlError> {
    call.service.store.try_update(|world| {
        if world.webhook.secret().is_none() {
            return Err(webhook::Error::from(NotSent::NoReceiver).into());
        }
        world.webhook.turn_on();
        Ok(world.webhook.status())
    })
}

fn built_in(script: Value) -> Result<Receiver, ControlError> {
    match script {
        Value::String(_) | Value::Array(_) => {
            Ok(Receiver::built_in(ReceiverScript::try_from(script)?))
        }
        _ => Err(InvalidInput::new(BAD_BODY, "expected a script as a string or an array").into()),
    }
}
