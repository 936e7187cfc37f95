//! The table of endpoints, their handlers by resource, and the parsing of requests.

mod call;
mod endpoint;
mod links_and_posts;
mod profile;
mod statistics;

pub(crate) use call::{BODY_LIMIT, Call};
pub use endpoint::Endpoint;
pub(crate) use endpoint::{BASE_PATH, Handler, UNROUTED};
pub(crate) use links_and_posts::id_in_path;
