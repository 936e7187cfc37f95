//! Tests of the program `mock-server` and its control API, as a child process.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod advice;
mod browser;
#[path = "../../../tests/shared/child.rs"]
mod child;
mod control;
mod control_guard;
mod control_journal;
mod control_openapi;
mod control_reading;
mod control_webhook;
mod devtools;
#[path = "../../../tests/shared/edits.rs"]
mod edits;
mod files;
mod log;
mod matrix;
mod mutants;
mod page;
mod program;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/request.rs"]
mod request;
mod run;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/schema.rs"]
mod schema;
mod serving;
mod shutdown;
mod state;
#[path = "../../../tests/shared/webhook_receiver.rs"]
mod webhook_receiver;
mod worlds;
