//! The control API: what a test does to the mock itself, over HTTP, whatever its language. Each
//! file only translates between JSON and the calls of the modules that do the work.

mod clock;
mod dialect;
mod documents;
mod faults;
mod health;
mod keys;
mod refusal;
mod requests;
mod routes;
mod state;
mod verdicts;
mod webhook;
mod worlds;

use std::pin::Pin;
use std::sync::Arc;

use http::uri::Authority;

use crate::ending::Ending;
use crate::engine::{Reply, Request};
use crate::worlds::Worlds;

/// Where the control API lies.
pub(crate) const BASE: &str = "/_mock/v1";

/// The largest body that the control API takes, in bytes: 16 MiB, since a whole state is more than
/// a request to the service.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The control API of one server.
#[derive(Debug)]
pub(crate) struct Control {
    worlds: Arc<Worlds>,
    /// The base URL of the service, for requests that name no host.
    url: String,
    ending: Ending,
}

impl Control {
    pub(crate) fn new(worlds: Arc<Worlds>, url: String, ending: Ending) -> Self {
        Self {
            worlds,
            url,
            ending,
        }
    }

    /// The base URL of the service, as whoever asks has it: a container's own address means nothing
    /// outside.
    fn url(&self, request: &Request) -> String {
        let host = request.header_values("host").next();
        match host.map(str::parse::<Authority>) {
            Some(Ok(host)) => format!("http://{host}"),
            _ => self.url.clone(),
        }
    }

    /// Does what a request to the control API asks for. It may have to wait for a disk.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        routes::answer(self, request).unwrap_or_else(|refusal| Answer::Now(refusal.into_reply()))
    }
}

/// What comes of a request to the control API.
pub(crate) enum Answer {
    Now(Reply),
    /// It waits for the network or for a request to the service.
    Later(Pin<Box<dyn Future<Output = Reply> + Send>>),
}

/// Whether a path belongs to the control API. The document of the service lies where clients look
/// for one, too.
pub(crate) fn is_for(path: &str) -> bool {
    let below = path.strip_prefix(BASE);
    path == documents::SERVICE || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
