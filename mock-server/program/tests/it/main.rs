//! Tests of the program `mock-server` and its control API, as a child process.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[cfg_attr(windows, allow(dead_code, reason = "other systems use more of it"))]
#[macro_use]
#[path = "../../../tests/shared/child.rs"]
mod child;
mod advice;
#[cfg(unix)]
mod browser;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/command.rs"]
mod command;
mod control;
mod control_guard;
mod control_journal;
mod control_openapi;
mod control_reading;
mod control_webhook;
#[cfg(unix)]
mod devtools;
#[path = "../../../tests/shared/edits.rs"]
mod edits;
#[cfg(unix)]
mod files;
mod log;
mod matrix;
mod mutants;
#[cfg(unix)]
mod page;
mod program;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/request.rs"]
mod request;
mod run;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../tests/shared/schema.rs"]
mod schema;
#[cfg_attr(windows, allow(dead_code, reason = "other systems use more of it"))]
mod serving;
#[cfg(unix)]
mod shutdown;
mod state;
#[path = "../../../tests/shared/webhook_receiver.rs"]
mod webhook_receiver;
#[cfg(windows)]
mod windows;
mod worlds;
