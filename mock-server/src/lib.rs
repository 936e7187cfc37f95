//! A mock of the profile service for tests: a server, and a responder for wiremock.
//!
//! [picture]: data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==
//! [worlds]: guide::worlds
//! [dialects]: guide::dialects
//! [faults]: guide::faults
//! [journal]: guide::journal
//! [webhooks]: guide::webhooks
//! [state-files]: guide::worlds#state-files
//! [control-api]: guide::control_api
//! [page]: guide::control_api#the-page
//! [program]: guide::program
//! [test-suites]: guide::test_suites
//! [recipes]: guide::recipes
//! [advice]: guide::test_suites#advice
//! [mutants]: guide::test_suites#test-the-test-suite
//!
// docs.rs does not have the picture of the README, so the first line above replaces it by an empty one.
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

// In reading order; each part depends only on the parts before it:
//
// - `redaction`: removal of keys, secrets and control characters from texts
// - `files`: small texts, and files that are replaced
// - `input`: JSON input, and the error for invalid input
// - `engine`: the service as a pure function from a world and a request to a reply
// - `journal`, `faults`: recorded requests, and faults of responses
// - `mutants`: changes that break one sentence of the specification each
// - `service`: a world with its storage, faults, journal and report
// - `webhook`: the sending of deliveries
// - `worlds`: the services of one process
// - `control`: the control API of the program
// - `transport`: HTTP on hyper
// - `mock_server`: the server for Rust tests, with one service, and the handle to it
// - `responder`: the same service as a responder of wiremock
// - `worlds_server`: the server of the program, with many services and the control API
// - `signals`: signals to the programs

mod control;
mod engine;
pub mod faults;
#[doc(hidden)]
pub mod files;
pub mod guide;
mod input;
pub mod journal;
mod mock_server;
mod mutants;
mod redaction;
#[cfg(feature = "wiremock")]
mod responder;
mod service;
mod signals;
mod tasks;
mod transport;
pub mod webhook;
mod worlds;
mod worlds_server;

pub use control::openapi_json;
pub use engine::dialect::{self, Dialect};
pub use engine::{
    Account, Advice, Clock, Coverage, Endpoint, EndpointCoverage, FieldLimit, Keys, Link, Post,
    ProblemKind, Profile, ProfileField, RateLimit, Reply, Report, Request, RuleViolations, Scope,
    Uncovered, Violation, World, handle,
};
pub use faults::{Fault, FaultRule, WireFault};
pub use input::InvalidInput;
pub use mock_server::{MockServer, MockServerBuilder, ServiceHandle, StartError};
pub use service::{StateError, StateFile};
/// The version of wiremock for which [`ServiceHandle`] is a responder.
#[cfg(feature = "wiremock")]
#[cfg_attr(docsrs, doc(cfg(feature = "wiremock")))]
pub use wiremock;
// Like all hidden items, only for the programs of this project, which require the exact version.
#[doc(hidden)]
pub use self::{
    mutants::Mutant,
    redaction::{SafeUrl, Secrets, printable},
    signals::Signals,
    tasks::run_blocking,
    worlds::Worlds,
    worlds_server::WorldsServer,
};
