//! The table of endpoints, the routing and parsing of requests, and the handlers in one file for
//! each resource.

mod analytics;
mod badges;
mod call;
mod endpoint;
mod extra_fields;
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
pub use endpoint::Endpoint;
pub(super) use endpoint::Handler;
pub(super) use endpoint::UNROUTED;
pub(super) use extra_fields::add_extra_fields;
pub(crate) use json_body::BODY_LIMIT;
pub(super) use json_body::check_size;
pub(crate) use render::id_in_path;
pub(crate) use routing::route;
