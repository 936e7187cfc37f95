//! `/openapi.json` and `/control-openapi.json`: the OpenAPI documents.

use super::api::Control;
use super::error::ControlError;
use super::json::json_text;
use crate::engine::{Reply, Request};
use crate::openapi::{control_openapi_json, openapi_json};

/// The path of the service's document, which is also served at the root.
pub(super) const SERVICE: &str = "/openapi.json";

pub(super) fn service(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(json_text(200, openapi_json()))
}

pub(super) fn control(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(json_text(200, control_openapi_json()))
}
