//! The control API: what a test does to the mock itself, over HTTP, whatever its language. Each
//! file only translates between JSON and the calls of the modules that do the work.

mod api;
mod clock;
mod dialect;
mod documents;
mod error;
mod faults;
mod health;
mod json;
mod keys;
mod requests;
mod routes;
mod state;
mod verdicts;
mod webhook;
mod world_call;
mod worlds;

pub(crate) use api::{BASE, BODY_LIMIT, Control, ControlReply};
pub(crate) use routes::{answer, is_for};
