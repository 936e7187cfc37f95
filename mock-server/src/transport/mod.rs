//! HTTP on hyper, for both servers: reads requests, passes them to a service, and applies faults to the
//! responses.

mod answer;
mod connection;
mod headers;
mod incoming;
mod listener;
pub(crate) mod mounted_mocks;
mod no_response;
mod outgoing;
mod payload;
mod write_fault;

pub(crate) use answer::answer;
pub(crate) use connection::Handler;
pub(crate) use incoming::{read_head, receive};
pub(crate) use listener::{serve, serve_without_grace};
pub(crate) use no_response::NoResponse;
pub(crate) use outgoing::respond;
pub(crate) use payload::Payload;
