//! HTTP on hyper, for both servers: reads requests, passes them to a service, and applies faults to the
//! responses.

mod answer;
mod connection;
mod headers;
mod incoming;
mod listener;
mod no_response;
mod outgoing;
#[cfg(feature = "wiremock")]
mod wiremock;
mod write_fault;

pub(crate) use answer::answer;
pub(crate) use connection::Handler;
pub(crate) use incoming::receive;
pub(crate) use listener::{serve, serve_without_grace};
pub(crate) use no_response::NoResponse;
pub(crate) use outgoing::respond;
#[cfg(feature = "wiremock")]
pub(crate) use wiremock::respond_on_wiremock;
