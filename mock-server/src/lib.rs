#![doc = include_str!("../README.md")]

mod builder;
mod engine;
mod openapi;
mod respond;
mod server;
mod state_file;
mod store;

pub use builder::{MockServerBuilder, StartError};
pub use engine::{
    Account, Clock, InvalidInstant, Keys, Link, Outcome, Post, Profile, Reply, Request, Scope,
    World,
};
pub use openapi::{control_openapi_json, openapi_json};
pub use server::MockServer;
pub use state_file::{StateError, StateFile};
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
