//! [worlds]: guide::worlds
//! [dialects]: guide::dialects
//! [learn]: guide::learn
//! [faults]: guide::faults
//! [journal]: guide::journal
//! [violations]: guide::violations
//! [webhooks]: guide::webhooks
//! [state-files]: guide::state_files
//! [control-api]: guide::control_api
//! [program]: guide::program
//! [test-suites]: guide::test_suites
//! [recipes]: guide::recipes
//! [library]: guide::library
//!
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

// In reading order; each part depends only on the parts before it:
//
// - `engine`: the service as a pure function from a world and a request to an outcome
// - `faults`, `journal`, `webhook`: faults, recorded requests and webhook deliveries
// - `compression`, `cors`: compressed responses, and permissions for web pages of another origin
// - `habits`: habits of clients that are worth advice
// - `mutants`: changes that break one sentence of the specification each
// - `state_file`, `store`, `service`, `worlds`: the storage of worlds, and the state around them
// - `control`: the control API of the program
// - `transport`: the HTTP servers
// - `server`: the server for Rust tests

mod blocking;
mod bytes_in_json;
mod compression;
mod control;
mod cors;
mod engine;
pub mod faults;
pub mod guide;
mod habits;
mod invalid_input;
pub mod journal;
mod mutants;
mod openapi;
mod path_pattern;
mod path_template;
mod read_json;
mod server;
mod service;
mod shutdown;
mod state_file;
mod store;
mod transport;
pub mod webhook;
mod worlds;

pub use engine::dialect::{self, Dialect};
pub use engine::{
    Account, Advice, Clock, Coverage, Endpoint, EndpointCoverage, Keys, Link, Post, Profile,
    RateLimit, Reply, Request, Rule, RuleVerdict, Scope, Uncovered, Verdicts, Violation, World,
    handle,
};
pub use faults::{Fault, FaultRule, WireFault};
pub use invalid_input::InvalidInput;
pub use mutants::Mutant;
pub use openapi::{control_openapi_json, openapi_json};
pub use server::{MockServer, MockServerBuilder, StartError};
pub use state_file::{StateError, StateFile};
pub use transport::HttpServer;
/// The version of wiremock that [`MockServer::wiremock`] uses.
pub use wiremock;
pub use worlds::Worlds;
