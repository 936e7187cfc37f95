//! The HTTP servers, on hyper: for many worlds and the control API, or for one service and the mocks
//! of a Rust test.

mod answer;
mod connection;
mod control_or_service;
mod headers;
mod http_server;
mod incoming;
mod listener;
pub(crate) mod mounted_mocks;
mod no_response;
mod outgoing;
mod payload;
mod service_server;
mod write_fault;

pub use http_server::HttpServer;
pub(crate) use service_server::ServiceServer;
