#![doc = include_str!("../README.md")]

mod apart;
mod builder;
mod bytes_in_json;
mod control;
mod dialect_file;
mod ending;
mod engine;
pub mod faults;
mod invalid_input;
pub mod journal;
mod openapi;
mod path_pattern;
mod path_template;
mod read_json;
mod server;
mod service;
mod state_error;
mod state_file;
mod store;
mod transport;
pub mod webhook;
mod worlds;

pub use builder::{MockServerBuilder, StartError};
pub use engine::dialect::{self, Dialect, UnknownDialect};
pub use engine::{
    Account, Clock, Coverage, Endpoint, EndpointCoverage, InvalidEventKind, InvalidInstant, Keys,
    Link, Post, Profile, RateLimit, Reply, Request, Rule, RuleVerdict, Scope, Untouched, Verdicts,
    Violation, World, handle,
};
pub use faults::{Fault, FaultRule, WireFault};
pub use invalid_input::InvalidInput;
pub use openapi::{control_openapi_json, openapi_json};
pub use server::MockServer;
pub use state_error::StateError;
pub use state_file::StateFile;
pub use transport::HttpServer;
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
pub use worlds::Worlds;
