//! [guide]: crate::guide
//!
#![doc = include_str!("../README.md")]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

// In reading order:
//
// values     what is sent: texts, numbers and names that hold only what the service accepts
// resources  one file per resource: its types and its calls
// request    a request as a plain value, and the table of the endpoints
// client     the client and its builder
// call       a call, and the attempts that it takes
// retry      whether and when a failed attempt is repeated
// pacing     shared by all clones of a client: the clock and the rate limits
// transport  the only module that touches the network
// decode     from the body of a response to a value
// error      the one error type
mod call;
mod client;
mod decode;
mod error;
mod pacing;
mod request;
mod resources;
mod retry;
mod transport;
mod values;

#[cfg(feature = "blocking")]
pub mod blocking;
#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

pub use call::{Call, RawCall, Response};
pub use client::{Client, ClientBuilder};
#[cfg(fuzzing)]
pub use decode::any_body::decode_as_every_type;
pub use error::{Error, ErrorKind};
pub use pacing::{Clock, RateLimitStatus};
pub use request::{Method, Operation, Request};
pub use resources::{
    Analytics, ApiVisible, Badge, BadgeKind, CountryViews, DailyViews, Devices, KeyInfo, Link,
    LinkUpdate, Metric, NewLink, Period, Post, Profile, ProfileUpdate, RateLimit, SiteStats,
    UserStats,
};
pub use retry::RetryPolicy;
pub use transport::tls::Tls;
pub use values::{
    ApiKey, Bio, Color, Days, DisplayName, Handle, InvalidValue, LinkId, LinkUrl, Location, PostId,
    Scope, Scopes,
};
