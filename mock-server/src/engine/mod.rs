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
//! - `endpoints`: the table of endpoints, the routing of requests to them, and their handlers by resource
//! - `handle`: the processing of a request, and its violations of the specification
//! - `report`: the violations and the coverage of a client

/// Defines an enum with one row for each variant: its documentation and its name, which is also its
/// JSON form. Adds `ALL` and `as_str`, and prints the name as `Display`.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        pub enum $enum {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl $enum {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

mod access;
mod clock;
pub mod dialect;
mod endpoints;
mod handle;
mod problems;
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
pub(crate) use dialect::{Dialect, SignatureEncoding, WebhookPayload};
pub use endpoints::Endpoint;
pub(crate) use endpoints::{
    BASE_PATH, BODY_LIMIT, Call, Handler, UNROUTED, check_path, id_in_path, is_path_of, route,
};
pub(crate) use handle::{Processed, process};
pub use handle::{Violation, handle};
pub use problems::ProblemKind;
pub(crate) use problems::{Problem, Problems, Rejected, Status};
pub use reply::Reply;
pub(crate) use reply::{HeaderLines, Object, to_json};
pub use report::{Advice, Coverage, EndpointCoverage, Report, RuleViolations, Uncovered};
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
