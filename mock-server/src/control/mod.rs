//! The control API, through which tests in any language control the mock over HTTP. Its files only
//! translate between JSON and calls of other modules.

mod call;
mod documents;
mod error;
mod guard;
mod requests;
mod routes;
mod webhook;
mod worlds;

use self::call::{ControlReply, WorldCall, now, ok};
use self::error::ControlError;

pub(crate) use call::{BASE, BODY_LIMIT, Control};
pub use documents::openapi_json;
pub(crate) use guard::Guard;
pub(crate) use routes::{answer, check_head, is_for};
