//! HTTP transports of a service: wiremock for Rust tests, and a server on hyper for what wiremock
//! does not support.

mod connection;
mod control_or_service;
mod handover;
mod headers;
mod http_server;
mod incoming;
mod listener;
mod no_response;
mod outgoing;
mod payload;
mod proxy;
pub(crate) mod wiremock;
mod write_fault;

pub use http_server::HttpServer;
pub(crate) use proxy::Proxy;
