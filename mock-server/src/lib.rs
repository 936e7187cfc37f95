#![doc = include_str!("../README.md")]

mod apart;
mod builder;
mod bytes_in_json;
mod control;
mod dialect_file;
mod ending;
mod engine;
mod faults;
mod journal;
mod misfit;
mod never_matches;
mod openapi;
mod path_template;
mod server;
mod service;
mod state_error;
mod state_file;
mod store;
mod strict;
mod transport;
mod unique_names;
mod webhook;
mod worlds;

pub use builder::{MockServerBuilder, StartError};
pub use dialect_file::InvalidDialect;
pub use engine::dialect::{self, Dialect, UnknownDialect};
pub use engine::{
    Account, Clock, Coverage, Endpoint, EndpointCoverage, EventKind, InvalidEventKind,
    InvalidInstant, Keys, Link, Post, Profile, RateLimit, Reply, Request, Rule, RuleVerdict, Scope,
    Untouched, Verdicts, Violation, World, handle,
};
pub use faults::{Delay, Fault, FaultRule, InvalidFault, Match, Phase, When, WireFault};
pub use journal::{
    Expect, Expectation, InvalidExpectation, Journal, JournalLimits, NearMiss, RecordedRequest,
    RequestPattern, Verification,
};
pub use never_matches::NeverMatches;
pub use openapi::{control_openapi_json, openapi_json};
pub use server::MockServer;
pub use state_error::StateError;
pub use state_file::StateFile;
pub use transport::HttpServer;
pub use webhook::{
    Delivery, DeliveryOutcome, EmptySecret, EventData, FAILURES_UNTIL_OFF, InvalidReceiverUrl,
    InvalidScript, NotSent, ReceiverUrl, SignedDelivery, SinkAnswer, SinkScript, SinkStatus,
    WebhookError, WebhookHandle, WebhookSecret, WebhookStatus,
};
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
pub use worlds::Worlds;
