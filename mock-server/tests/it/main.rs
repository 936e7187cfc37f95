//! Tests of the service over real sockets, one module per subject.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod analytics;
mod authorization;
mod badges;
mod bodies;
mod compression;
mod cors;
mod dialects;
#[path = "../shared/edits.rs"]
mod edits;
mod endpoints;
mod expect;
mod faults;
mod journal;
mod links;
mod me;
mod observed_dialects;
mod openapi;
mod posts;
mod profile;
mod rate_limit;
mod records;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../shared/request.rs"]
mod request;
#[cfg(feature = "wiremock")]
mod responder;
mod routing;
#[path = "../shared/schema.rs"]
mod schema;
mod server;
mod site;
mod state_file;
mod statistics;
mod webhook;
#[path = "../shared/webhook_receiver.rs"]
mod webhook_receiver;
mod wire;
