//! What carries requests to a service and answers back: wiremock for Rust suites, and a server of
//! our own on hyper for everything that wiremock cannot do.

mod connection;
mod control_or_service;
mod front;
mod handover;
mod headers;
mod http_server;
mod incoming;
mod listener;
mod misbehave;
mod outgoing;
mod payload;
pub(crate) mod wiremock;

pub(crate) use front::Front;
pub use http_server::HttpServer;
