#![doc = include_str!("../README.md")]

mod builder;
mod engine;
mod respond;
mod server;
mod state_file;
mod store;

pub use builder::{MockServerBuilder, StartError};
pub use engine::{
    Account, AnalyticsShape, ApiVisible, BadgeKinds, Clock, ContentRefusal, Coverage,
    DaysOutOfRange, Dialect, Endpoint, EndpointCoverage, ErrorBody, EventKind, Ids, InvalidInstant,
    KeyObject, KeyRateLimit, KeyScopes, Keys, Link, MeFields, OtherStatistics, Outcome, Post,
    Profile, RateLimit, RateLimitRefusal, ReferenceData, Reply, Request, ResourceFields, Rule,
    RuleVerdict, Scope, ScopeRefusal, SignatureEncoding, UnknownDialect, UnknownFields, Untouched,
    Verdicts, Violation, WebhookPayload, World, WriteAnswers,
};
pub use server::MockServer;
pub use state_file::{StateError, StateFile};
/// The library underneath, in the version that [`MockServer::wiremock`] speaks.
pub use wiremock;
