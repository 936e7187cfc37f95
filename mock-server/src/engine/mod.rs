//! The service itself, apart from every transport: a pure, synchronous function from a request and
//! a world to an outcome. Nothing here opens a socket, waits or reads the environment.

mod account;
mod analytics;
mod authorization;
mod badges;
mod clock;
mod default_world;
mod json_body;
mod keys;
mod limits;
mod links;
mod me;
mod posts;
mod profile;
mod refusal;
mod reply;
mod request;
mod routing;
mod scope;
mod seeded;
mod site;
mod statistics;
mod world;

pub use account::Account;
pub(crate) use authorization::bearer_token;
pub use clock::{Clock, InvalidInstant};
pub(crate) use json_body::BODY_LIMIT;
pub use keys::Keys;
pub(crate) use keys::label;
pub use links::Link;
pub use posts::Post;
pub use profile::Profile;
pub use reply::{Outcome, Reply};
pub use request::Request;
pub(crate) use routing::path_template;
pub use scope::Scope;
pub(crate) use seeded::Seeded;
pub use world::World;
