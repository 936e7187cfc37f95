#![doc = include_str!("../README.md")]

mod builder;
mod control;
mod engine;
mod faults;
mod server;
mod service;
mod state_file;
mod store;
mod transport;
mod worlds;

pub use builder::{MockServerBuilder, StartError};
pub use engine::{
    Account, Clock, InvalidInstant, Keys, Link, Outcome, Post, Profile, Reply, Request, Scope,
    World,
};
pub use faults::{Delay, Fault, FaultRule, InvalidFault, Match, Phase, When, WireFault};
pub use server::MockServer;
pub use state_file::{StateError, StateFile};
pub use transport::HttpServer;
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
pub use worlds::Worlds;
