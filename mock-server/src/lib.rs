#![doc = include_str!("../README.md")]

mod builder;
mod bytes_in_json;
mod control;
mod engine;
mod faults;
mod journal;
mod server;
mod service;
mod state_file;
mod store;
mod transport;
mod webhook;
mod worlds;

pub use builder::{MockServerBuilder, StartError};
pub use engine::{
    Account, Clock, InvalidInstant, Keys, Link, Outcome, Post, Profile, Reply, Request, Scope,
    World,
};
pub use faults::{Delay, Fault, FaultRule, InvalidFault, Match, Phase, When, WireFault};
pub use journal::{
    Expect, Expectation, InvalidExpectation, Journal, JournalLimits, NearMiss, RecordedRequest,
    RequestPattern, Verification,
};
pub use server::MockServer;
pub use state_file::{StateError, StateFile};
pub use transport::HttpServer;
pub use webhook::{
    Delivery, DeliveryOutcome, EmptySecret, EventData, EventKind, FAILURES_UNTIL_OFF,
    InvalidEventKind, InvalidReceiverUrl, InvalidScript, NotSent, ReceiverUrl, SignatureEncoding,
    SignedDelivery, SinkAnswer, SinkScript, SinkStatus, WebhookError, WebhookHandle,
    WebhookPayload, WebhookSecret, WebhookSettings, WebhookStatus,
};
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
pub use worlds::Worlds;
