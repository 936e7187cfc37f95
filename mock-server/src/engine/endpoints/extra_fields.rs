//! Adds the extra fields of a dialect to responses.

use serde_json::Value;

use super::endpoint::Endpoint;
use crate::engine::dialect::{ExtraFields, Place};
use crate::engine::reply::Reply;

/// The objects in the data of a successful response, to which a dialect can add fields.
pub(super) enum Objects {
    /// The response has no resource.
    Nothing,
    Me,
    Profile,
    One(Place),
    Each(Place),
}

/// Adds the fields to the response of a successful request.
pub(crate) fn add_extra_fields(reply: &mut Reply, endpoint: Endpoint, extra: &ExtraFields) {
    if extra.is_empty() {
        return;
    }
    let Ok(mut body) = serde_json::from_slice::<Value>(&reply.body) else {
        // The response has no body.
        return;
    };
    let data = &mut body["data"];
    match endpoint.objects() {
        Objects::Nothing => {}
        Objects::Me => {
            add_to_profile(extra, data);
            extra.add(Place::Key, &mut data["key"]);
            extra.add(Place::Me, data);
        }
        Objects::Profile => add_to_profile(extra, data),
        Objects::One(place) => extra.add(place, data),
        Objects::Each(place) => add_to_each(extra, place, data),
    }
    reply.body = body.to_string().into_bytes();
}

fn add_to_profile(extra: &ExtraFields, profile: &mut Value) {
    for (name, place) in [
        ("links", Place::Link),
        ("posts", Place::Post),
        ("badges", Place::Badge),
    ] {
        if let Some(items) = profile.get_mut(name) {
            add_to_each(extra, place, items);
        }
    }
    extra.add(Place::Profile, profile);
}

fn add_to_each(extra: &ExtraFields, place: Place, items: &mut Value) {
    for item in items.as_array_mut().into_iter().flatten() {
        extra.add(place, item);
    }
}
