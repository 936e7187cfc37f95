//! The endpoints: one table of them, how a request finds its endpoint and is read, and a file for
//! each resource that answers.

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
pub use endpoint::Endpoint;
pub(super) use endpoint::Handler;
pub(crate) use json_body::BODY_LIMIT;
pub(super) use json_body::check_size;
pub(super) use routing::route;
