//! `/health`: the status of the server and the routes of its control API.

use serde::Serialize;

use crate::control::api::Control;
use crate::engine::{Reply, Request};

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    url: String,
    routes: Vec<String>,
}

pub(in crate::control) fn show(control: &Control, request: &Request, routes: Vec<String>) -> Reply {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        url: control.url(request),
        routes,
    };
    Reply::json(200, &health)
}
