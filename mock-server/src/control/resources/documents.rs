//! `/openapi.json` and `/control-openapi.json`: the OpenAPI documents.

use crate::control::api::Control;
use crate::control::error::ControlError;
use crate::engine::{Reply, Request};
use crate::openapi::{control_openapi_json, openapi_json};

/// The path of the service's document, which is also served at the root.
pub(in crate::control) const SERVICE: &str = "/openapi.json";

pub(in crate::control) fn service(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(Reply::with_body("application/json", 200, openapi_json()))
}

pub(in crate::control) fn control(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(Reply::with_body(
        "application/json",
        200,
        control_openapi_json(),
    ))
}
