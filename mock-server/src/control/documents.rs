//! `/openapi.json` and `/control-openapi.json`: what can be asked of the service, and of this.

use super::api::Control;
use super::error::ControlError;
use super::json::json_text;
use crate::engine::{Reply, Request};
use crate::openapi::{control_openapi_json, openapi_json};

/// Where the document of the service lies, below the control API as well as at the root.
pub(super) const SERVICE: &str = "/openapi.json";

pub(super) fn service(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(json_text(200, openapi_json()))
}

pub(super) fn control(_: &Control, _: &Request) -> Result<Reply, ControlError> {
    Ok(json_text(200, control_openapi_json()))
}
