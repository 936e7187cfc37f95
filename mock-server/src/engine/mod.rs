//! The service itself, independent of the transports: a pure, synchronous function from a world
//! and a request to a reply. Nothing here opens a socket, waits or reads the environment.
//!
//! In reading order; each part depends only on the parts before it:
//!
//! - `resources`: accounts with their profiles, links, posts and badges, and their limits
//! - `access`: keys, scopes and rate limits
//! - `problems`: the problems that a request can have
//! - `dialect`: the settings for the choices that the specification leaves open
//! - `webhook`: the webhook of a world as a state machine
//! - `world`: the state of one service
//! - `endpoints`: the table of endpoints, and their handlers by resource
//! - `paths`: the routing of requests to endpoints
//! - `processed`: the reply to a request, and its violations of the specification
//! - `handle`: the processing of a request
//! - `coverage`: the coverage of the service by a client
//! - `report`: the violations and the coverage of a client

mod access;
mod clock;
mod coverage;
pub mod dialect;
mod endpoints;
mod handle;
mod json_object;
mod named_enum;
pub(crate) mod paths;
mod problems;
mod processed;
mod reply;
mod report;
mod request;
mod resources;
mod seeded_hash;
pub(crate) mod webhook;
mod world;

pub(crate) use access::{ActiveKeys, Key, Quota, bearer_token};
pub use access::{Keys, RateLimit, Scope};
pub use clock::Clock;
pub(crate) use clock::{LAST as LAST_INSTANT, http_date};
pub use coverage::{Coverage, EndpointCoverage, Uncovered};
pub(crate) use dialect::{Dialect, SignatureEncoding, WebhookPayload};
pub use endpoints::Endpoint;
pub(crate) use endpoints::{BASE_PATH, BODY_LIMIT, Call, Handler, UNROUTED, id_in_path};
pub use handle::handle;
pub(crate) use handle::process;
pub(crate) use json_object::{Object, to_json};
pub(crate) use paths::route;
pub use problems::ProblemKind;
pub(crate) use problems::{Problem, Problems, Rejected, Status};
pub use processed::Violation;
pub(crate) use processed::{Processed, violations};
pub(crate) use reply::HeaderLines;
pub use reply::Reply;
pub use report::{Advice, Report, RuleViolations};
pub(crate) use report::{
    AdviceKind, KEY_IN_QUERY, POST_REPEATED, RETRY_AFTER_IGNORED, UNKNOWN_WORLD,
};
pub use request::Request;
pub(crate) use request::{OwnHosts, host};
pub use resources::{Account, FieldLimit, Link, Post, Profile, ProfileField};
pub(crate) use resources::{Badge, check_color};
pub(crate) use seeded_hash::SeededHash;
pub use world::World;
pub(crate) use world::{check, raise_last_id};
