//! The table of endpoints, their handlers by resource, and the parsing of requests.

mod call;
mod endpoint;
mod links_and_posts;
mod profile;
mod statistics;

pub(crate) use call::BODY_LIMIT;
pub(super) use call::Call;
pub(crate) use endpoint::BASE_PATH;
pub use endpoint::Endpoint;
pub(super) use endpoint::{Handler, UNROUTED};
pub(crate) use links_and_posts::id_in_path;
