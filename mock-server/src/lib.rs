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

// In reading order:
//
// - `input`: JSON input, and the error for invalid input
// - `engine`: the service as a pure function from a world and a request to an outcome
// - `webhook`: the webhook of a world as a state machine, and the sending of deliveries
// - `faults`, `journal`: faults of responses, and recorded requests
// - `mutants`: changes that break one sentence of the specification each
// - `service`: a world with its storage, faults, journal and verdicts
// - `worlds`: the services of one process
// - `control`: the control API of the program
// - `transport`: the HTTP servers
// - `server`: the server for Rust tests
//
// Each part builds on the parts before it, with three exceptions: `input` uses the engine to remove
// keys from errors, a world contains its webhook, and the handle of a webhook uses the service.

mod blocking;
mod control;
mod engine;
pub mod faults;
pub mod guide;
mod input;
pub mod journal;
mod mutants;
mod openapi;
mod server;
mod service;
mod shutdown;
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
pub use input::InvalidInput;
pub use mutants::Mutant;
pub use openapi::{control_openapi_json, openapi_json};
pub use server::{MockServer, MockServerBuilder, StartError};
pub use service::{StateError, StateFile};
pub use transport::HttpServer;
/// The version of wiremock that [`MockServer::wiremock`] uses.
pub use wiremock;
pub use worlds::Worlds;
