//! The control API of one server, and a request to it for one world.

use std::future;
use std::pin::Pin;
use std::sync::Arc;

use http::uri::Authority;
use serde::Serialize;

use super::{ControlError, Guard};
use crate::engine::{Reply, Request};
use crate::service::Service;
use crate::tasks::Shutdown;
use crate::worlds::Worlds;

/// The base path of the control API.
pub(crate) const BASE: &str = "/_mock/v1";

/// Maximum size of a request body: 16 MiB, since a body may contain a whole state.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The control API of one server.
pub(crate) struct Control {
    pub(crate) worlds: Arc<Worlds>,
    /// The base URL of the service, for requests without a `Host` header.
    pub(crate) url: String,
    pub(crate) shutdown: Shutdown,
    pub(crate) guard: Guard,
}

/// The reply to a request to the control API, which may wait for the network or for a request to the service.
pub(crate) type ControlReply = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// Returns a reply that does not wait.
pub(super) fn now(reply: Reply) -> ControlReply {
    Box::pin(future::ready(reply))
}

/// Returns a reply with the status 200 and a value as JSON.
pub(super) fn ok(value: &impl Serialize) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, value))
}

impl Control {
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

/// A request for one world.
pub(super) struct WorldCall<'a> {
    pub(super) control: &'a Control,
    pub(super) name: &'a str,
    /// The last segment of the path if the route ends with `{id}`, or else empty.
    pub(super) parameter: &'a str,
    pub(super) service: Arc<Service>,
    pub(super) request: &'a Request,
}
