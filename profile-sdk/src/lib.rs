//! [guide]: crate::guide
//!
#![doc = include_str!("../README.md")]
//!
//! "Specification: …" in this documentation names sections of `docs/service.md` in the repository.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

#[cfg(target_arch = "wasm32")]
compile_error!(
    "profile-sdk does not support wasm32, which has neither the sockets nor the timers that \
     timeouts, retries and connection pooling need; call the service from a native program"
);

// In reading order:
//
// values     types for requests that enforce the limits of the specification
// resources  the resources of the service with their types and calls
// request    a request as a plain value, and the table of endpoints
// client     the client and its builder
// call       a call and its attempts
// plan       compares a desired profile with the current one, and carries out the difference
// retry      the decision to retry a failed attempt
// pacing     the clock and the rate limits, shared by all clones of a client
// transport  the only module that uses the network
// decode     decodes response bodies
// json       reads JSON that most parsers reject, and counts
// text       texts of a service in messages
// error      the error type
mod call;
mod client;
mod decode;
mod error;
mod json;
mod pacing;
mod request;
mod resources;
mod retry;
mod text;
mod transport;
mod values;

#[cfg(feature = "blocking")]
pub mod blocking;
#[doc = include_str!("../docs/guide.md")]
pub mod guide {}
/// Tools of the programs of this project, which require the exact version of this crate.
#[doc(hidden)]
pub mod internal {
    pub use crate::json::{JsonToken, json_tokens, readable_json};
    pub use crate::text::{longest_start, quoted, with_visibility};
    pub use crate::transport::tls_advice;
}
pub mod plan;
#[cfg(feature = "testing")]
pub mod testing;

pub use call::{Call, RawCall, Response};
pub use client::{Client, ClientBuilder};
pub use error::{Error, ErrorKind};
pub use pacing::{Clock, RateLimitStatus, SystemClock, Wait};
pub use request::{Method, Operation, Request};
pub use resources::*;
pub use retry::RetryPolicy;
pub use transport::Tls;
#[cfg(feature = "tower")]
pub use transport::http_service::{HttpService, ResponseBody};
pub use values::{
    ApiKey, Bio, Color, Days, DisplayName, FieldKind, Handle, InvalidValue, LinkId, LinkUrl,
    Location, OptionalDays, PostId, Scope, Scopes,
};

// The crates whose types are in the public API.
#[cfg(feature = "tower")]
pub use {bytes, http};
pub use {serde_json, url};
