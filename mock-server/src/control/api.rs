//! The control API of one server.

use std::pin::Pin;
use std::sync::Arc;

use http::uri::Authority;

use crate::engine::{Reply, Request};
use crate::shutdown::Shutdown;
use crate::worlds::Worlds;

/// Where the control API lies.
pub(crate) const BASE: &str = "/_mock/v1";

/// The largest body that the control API takes, in bytes: 16 MiB, since a whole state is more than
/// a request to the service.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The control API of one server.
#[derive(Debug)]
pub(crate) struct Control {
    pub(super) worlds: Arc<Worlds>,
    /// The base URL of the service, for requests that name no host.
    url: String,
    pub(super) shutdown: Shutdown,
}

/// What comes of a request to the control API.
pub(crate) enum ControlReply {
    Now(Reply),
    /// It waits for the network or for a request to the service.
    Later(Pin<Box<dyn Future<Output = Reply> + Send>>),
}

impl Control {
    pub(crate) fn new(worlds: Arc<Worlds>, url: String, shutdown: Shutdown) -> Self {
        Self {
            worlds,
            url,
            shutdown,
        }
    }

    /// The base URL of the service, as whoever asks has it: a container's own address means nothing
    /// outside.
    pub(super) fn url(&self, request: &Request) -> String {
        let host = request.header_values("host").next();
        match host.map(str::parse::<Authority>) {
            Some(Ok(host)) => format!("http://{host}"),
            _ => self.url.clone(),
        }
    }
}
