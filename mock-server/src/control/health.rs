//! `/health`: whether the server is there, and what its control API can do.

use serde::Serialize;

use super::api::Control;
use super::json::json;
use super::refusal::ControlRefusal;
use super::routes;
use crate::engine::{Reply, Request};

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    url: String,
    routes: Vec<String>,
}

pub(super) fn show(control: &Control, request: &Request) -> Result<Reply, ControlRefusal> {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        url: control.url(request),
        routes: routes::written(),
    };
    Ok(json(200, &health))
}
