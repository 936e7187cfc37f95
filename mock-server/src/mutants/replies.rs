//! Changes of the bodies of replies.

use serde_json::{Value, json};

use crate::engine::Outcome;

/// Changes the body of a successful reply.
pub(super) fn edit_body(outcome: &mut Outcome, change: impl FnOnce(&mut Value)) {
    if let 200..=299 = outcome.reply.status
        && let Ok(mut body) = serde_json::from_slice(&outcome.reply.body)
    {
        change(&mut body);
        outcome.reply.body = body.to_string().into_bytes();
    }
}

pub(super) fn data_of(body: &mut Value) -> &mut Value {
    &mut body["data"]
}

/// Removes a field of the object at a JSON pointer below `data`.
pub(super) fn remove(body: &mut Value, pointer: &str, field: &str) {
    if let Some(Value::Object(fields)) = data_of(body).pointer_mut(pointer) {
        fields.remove(field);
    }
}

/// Changes the objects of the array at a JSON pointer below `data`.
pub(super) fn each(body: &mut Value, pointer: &str, change: impl FnMut(&mut Value)) {
    if let Some(Value::Array(items)) = data_of(body).pointer_mut(pointer) {
        items.iter_mut().for_each(change);
    }
}

/// Turns the numbers of the object at a JSON pointer below `data` into strings.
pub(super) fn numbers_as_strings(body: &mut Value, pointer: &str) {
    if let Some(Value::Object(fields)) = data_of(body).pointer_mut(pointer) {
        for value in fields.values_mut() {
            *value = json!(value.to_string());
        }
    }
}

/// Writes the dates of the daily views as DD.MM.YYYY.
pub(super) fn change_date_format(body: &mut Value) {
    each(body, "/daily", |day| {
        let date = day["date"].as_str().unwrap_or_default();
        let parts: Vec<_> = date.rsplit('-').collect();
        day["date"] = json!(parts.join("."));
    });
}

/// Adds the devices to statistics that leave them out.
pub(super) fn add_devices(body: &mut Value) {
    let data = data_of(body);
    if data["devices"].is_null() {
        let views = data["period"]["views"].clone();
        data["devices"] = json!({"desktop": views, "mobile": 0, "tablet": 0});
    }
}
