//! The table of endpoints, the routing and parsing of requests, and the handlers in one file for
//! each resource.

mod analytics;
mod badges;
mod call;
mod endpoint;
mod json_body;
mod links;
mod me;
mod posts;
mod profile;
mod render;
mod routing;
mod site;
mod statistics;

pub(super) use call::Call;
pub(crate) use endpoint::BASE_PATH;
pub use endpoint::Endpoint;
pub(super) use endpoint::{Handler, Objects, UNROUTED};
pub(crate) use json_body::BODY_LIMIT;
pub(super) use json_body::check_size;
pub(crate) use render::id_in_path;
pub(crate) use routing::route;
