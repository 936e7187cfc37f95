//! Routes requests to the control API or to the world of their key.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::blocking::run_blocking;
use crate::control::{self, Control, ControlReply};
use crate::engine::{self, BODY_LIMIT, Reply};
use crate::faults::PlannedReply;
use crate::shutdown::Shutdown;
use crate::transport::{Handler, NoResponse, answer, receive, respond};
use crate::worlds::Worlds;

/// A callback for log lines.
pub(super) type Log = Box<dyn Fn(fmt::Arguments<'_>) + Send + Sync>;

pub(super) struct ControlOrService {
    pub(super) worlds: Arc<Worlds>,
    /// `None` if the control API is disabled.
    pub(super) control: Option<Arc<Control>>,
    /// Ends delays, and connections with incomplete requests.
    pub(super) shutdown: Shutdown,
    pub(super) log: Option<Log>,
}

impl Handler for ControlOrService {
    async fn handle(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, NoResponse> {
        let planned = match &self.control {
            Some(control) if control::is_for(request.uri().path()) => {
                self.answer_control(control.clone(), request).await?
            }
            _ => self.serve(request).await?,
        };
        respond(planned)
    }
}

impl ControlOrService {
    async fn serve(&self, request: Request<Incoming>) -> Result<PlannedReply, NoResponse> {
        let mut request = receive(request, BODY_LIMIT, &self.shutdown).await?;
        let target = self.log.as_ref().map(|_| target(&request));
        let service = match self.worlds.route(&mut request) {
            Ok(service) => service,
            Err(world) => return Ok(PlannedReply::new(unknown_world_reply(&world))),
        };
        let (planned, entry) = answer(service, request, &self.shutdown).await;
        if let (Some(log), Some(target)) = (&self.log, target) {
            log(format_args!("{}", entry.log_line(&target)));
        }
        Ok(planned)
    }

    async fn answer_control(
        &self,
        control: Arc<Control>,
        request: Request<Incoming>,
    ) -> Result<PlannedReply, NoResponse> {
        let request = receive(request, control::BODY_LIMIT, &self.shutdown).await?;
        let reply = match run_blocking(move || control::answer(&control, &request)).await {
            ControlReply::Now(reply) => reply,
            ControlReply::Later(reply) => reply.await,
        };
        Ok(PlannedReply::new(reply))
    }
}

fn unknown_world_reply(world: &str) -> Reply {
    let message = format!("unknown world {world:?}; it was deleted or never created");
    Reply::error(404, "unknown_world", &message)
}

/// Returns the path and the query, percent-encoded as they were sent.
fn target(request: &engine::Request) -> String {
    match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    }
}
