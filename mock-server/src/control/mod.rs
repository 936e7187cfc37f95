//! The control API, through which tests in any language control the mock over HTTP. Its files only
//! translate between JSON and calls of other modules.

mod api;
mod error;
mod guard;
mod resources;
mod routes;
mod world_call;

pub(crate) use api::{BASE, BODY_LIMIT, Control, ControlReply};
pub(crate) use guard::Guard;
pub(crate) use routes::{answer, is_for};
