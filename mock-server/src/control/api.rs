//! The control API of one server.

use std::pin::Pin;
use std::sync::Arc;

use http::uri::Authority;

use super::guard::Guard;
use crate::engine::{Reply, Request};
use crate::shutdown::Shutdown;
use crate::worlds::Worlds;

/// The base path of the control API.
pub(crate) const BASE: &str = "/_mock/v1";

/// Maximum size of a request body: 16 MiB, since a body may contain a whole state.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The control API of one server.
pub(crate) struct Control {
    pub(super) worlds: Arc<Worlds>,
    /// The base URL of the service, for requests without a `Host` header.
    url: String,
    pub(super) shutdown: Shutdown,
    pub(crate) guard: Guard,
}

/// The reply to a request to the control API.
pub(crate) enum ControlReply {
    Now(Reply),
    /// A reply that waits for the network or for a request to the service.
    Later(Pin<Box<dyn Future<Output = Reply> + Send>>),
}

impl Control {
    pub(crate) fn new(worlds: Arc<Worlds>, url: String, shutdown: Shutdown) -> Self {
        Self {
            worlds,
            url,
            shutdown,
            guard: Guard::default(),
        }
    }

    /// Returns the base URL of the service as the client sees it, since a container's own address is
    /// not reachable from outside.
    pub(super) fn url(&self, request: &Request) -> String {
        let host = request.header_values("host").next();
        match host.map(str::parse::<Authority>) {
            Some(Ok(host)) => format!("http://{host}"),
            _ => self.url.clone(),
        }
    }
}
