//! The control API, through which tests in any language control the mock over HTTP. Its files only
//! translate between JSON and calls of other modules.

mod api;
mod clock;
mod dialect;
mod documents;
mod error;
mod faults;
mod guard;
mod health;
mod json;
mod keys;
mod page;
mod requests;
mod routes;
mod state;
mod verdicts;
mod webhook;
mod world_call;
mod worlds;

pub(crate) use api::{BASE, BODY_LIMIT, Control, ControlReply};
pub(crate) use guard::Guard;
pub(crate) use routes::{answer, is_for};
