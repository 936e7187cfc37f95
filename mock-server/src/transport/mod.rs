//! HTTP on hyper, for both servers: reads requests, passes them to a service, and applies faults to the
//! responses.

mod answer;
mod connection;
mod messages;
#[cfg(feature = "wiremock")]
mod wiremock;

pub(crate) use answer::answer;
pub(crate) use connection::{Handler, serve};
pub(crate) use messages::{Responded, receive, respond, response};
#[cfg(feature = "wiremock")]
pub(crate) use wiremock::respond_on_wiremock;
