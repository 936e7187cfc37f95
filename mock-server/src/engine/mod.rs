//! The service itself, apart from every transport: a pure, synchronous function from a request and
//! a world to an outcome. Nothing here opens a socket, waits or reads the environment.

mod account;
mod analytics;
mod authorization;
mod badges;
mod clock;
mod coverage;
mod default_world;
mod dialect;
mod endpoint;
mod event_kind;
mod handling;
mod inspection;
mod invalid_account;
mod invalid_world;
mod json_body;
mod keys;
mod limits;
mod links;
mod me;
mod posts;
mod profile;
mod rate_limit;
mod redaction;
mod refusal;
mod reply;
mod request;
mod routing;
mod rule;
mod scope;
mod seeded;
mod shown;
mod site;
mod statistics;
mod verdicts;
mod violation;
mod world;

pub use account::Account;
pub(crate) use authorization::bearer_token;
pub(crate) use clock::LAST as LAST_INSTANT;
pub use clock::{Clock, InvalidInstant};
pub use coverage::{Coverage, EndpointCoverage, Untouched};
pub use dialect::{
    AnalyticsShape, ApiVisible, BadgeKinds, ContentRefusal, DaysOutOfRange, Dialect, ErrorBody,
    Ids, KeyObject, KeyRateLimit, KeyScopes, MeFields, OtherStatistics, RateLimitRefusal,
    ReferenceData, ResourceFields, ScopeRefusal, SignatureEncoding, UnknownDialect, UnknownFields,
    WebhookPayload, WriteAnswers,
};
pub use endpoint::Endpoint;
pub use event_kind::{EventKind, InvalidEventKind};
pub(crate) use invalid_world::InvalidWorld;
pub(crate) use json_body::BODY_LIMIT;
pub use keys::Keys;
pub(crate) use keys::{KeysInForce, label};
pub use links::Link;
pub use posts::Post;
pub use profile::Profile;
pub use rate_limit::RateLimit;
pub(crate) use redaction::{without, without_keys};
pub use reply::{Outcome, Reply};
pub use request::Request;
pub use rule::Rule;
pub use scope::Scope;
pub(crate) use seeded::Seeded;
pub use verdicts::{RuleVerdict, Verdicts};
pub use violation::Violation;
pub use world::World;
