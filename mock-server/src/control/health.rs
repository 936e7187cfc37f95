//! `/health`: whether the server is there, and what its control API can do.

use serde::Serialize;

use super::refusal::ControlRefusal;
use super::{Control, routes};
use crate::engine::{Reply, Request};

#[derive(Serialize)]
struct Health<'a> {
    status: &'static str,
    version: &'static str,
    url: &'a str,
    routes: Vec<String>,
}

pub(super) fn show(control: &Control, _: &Request) -> Result<Reply, ControlRefusal> {
    let health = Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        url: &control.url,
        routes: routes::written(),
    };
    Ok(routes::json(200, &health))
}
