//! JSON bodies of requests and replies.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ControlError;
use crate::engine::{Reply, Request};
use crate::read_json;

/// Parses the body of a request, a JSON object.
pub(super) fn read<T: DeserializeOwned>(request: &Request) -> Result<T, ControlError> {
    Ok(read_json::object(&request.body)?)
}

/// Creates a reply with a JSON body.
pub(super) fn json(status: u16, body: &impl Serialize) -> Reply {
    json_text(
        status,
        serde_json::to_vec(body).expect("texts, numbers and lists become JSON"),
    )
}

/// Creates a reply with a body that is already serialized.
pub(super) fn json_text(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    let body = body.into();
    let headers = vec![("content-type".into(), "application/json".into())];
    Reply {
        status,
        headers,
        body,
    }
}

/// Creates a 204 reply.
pub(super) fn done() -> Reply {
    Reply {
        status: 204,
        headers: Vec::new(),
        body: Vec::new(),
    }
}
