//! Tests of the service over real sockets, one module per subject.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[cfg(all(unix, feature = "program"))]
mod advice;
mod analytics;
mod authorization;
mod badges;
mod bodies;
#[cfg(all(unix, feature = "program"))]
mod browser;
mod compression;
#[cfg(all(unix, feature = "program"))]
mod control;
#[cfg(all(unix, feature = "program"))]
mod control_guard;
#[cfg(all(unix, feature = "program"))]
mod control_journal;
#[cfg(all(unix, feature = "program"))]
mod control_openapi;
#[cfg(all(unix, feature = "program"))]
mod control_reading;
#[cfg(all(unix, feature = "program"))]
mod control_webhook;
mod cors;
#[cfg(all(unix, feature = "program"))]
mod devtools;
mod dialects;
mod endpoints;
mod expect;
mod faults;
mod journal;
mod links;
#[cfg(all(unix, feature = "program"))]
mod matrix;
mod me;
#[cfg(all(unix, feature = "program"))]
mod mutants;
mod observed_dialects;
mod openapi;
#[cfg(all(unix, feature = "program"))]
mod page;
mod posts;
mod profile;
#[cfg(all(unix, feature = "program"))]
mod program;
mod rate_limit;
mod records;
#[path = "../shared/request.rs"]
mod request;
#[cfg(feature = "wiremock")]
mod responder;
mod routing;
#[cfg(all(unix, feature = "program"))]
mod run;
mod server;
#[cfg(all(unix, feature = "program"))]
mod serving;
mod site;
mod state_file;
mod statistics;
mod webhook;
mod webhook_receiver;
mod wire;
#[cfg(all(unix, feature = "program"))]
mod worlds;
