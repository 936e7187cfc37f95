//! The way of an answer from a service to hyper.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};

use super::connection::PATIENCE;
use super::headers::headers;
use super::payload::Payload;
use crate::faults::{Planned, WireFault};

/// An answer that HTTP cannot express: the connection is taken from hyper and written by hand.
#[derive(Debug, thiserror::Error)]
#[error("the connection ends with {fault:?}")]
pub(super) struct Departure {
    pub(super) fault: WireFault,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Why a request is not answered through hyper.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unanswered {
    /// It meets a fault on the wire.
    #[error(transparent)]
    Departure(Box<Departure>),
    /// The client went away while it sent the request.
    #[error(transparent)]
    Broken(#[from] hyper::Error),
    /// The client stopped in the middle of the request.
    #[error("the rest of the body did not come within {} s", PATIENCE.as_secs())]
    Silent,
    /// The server ends before the client has sent the whole request.
    #[error("the server ended before the rest of the body came")]
    Ending,
    /// There is nobody to pass the request on to.
    #[error(transparent)]
    Gone(std::io::Error),
}

/// The answer as hyper sends it, or what to do with the connection instead.
pub(super) fn respond(planned: Planned) -> Result<Response<Payload>, Unanswered> {
    let Planned {
        reply,
        filling,
        wire,
        ..
    } = planned;
    let status = StatusCode::from_u16(reply.status).expect("a reply has a status of three digits");
    let mut map = HeaderMap::with_capacity(reply.headers.len());
    map.extend(headers(reply.headers));
    if let Some(fault) = wire {
        let body = reply.body.into();
        return Err(Unanswered::Departure(Box::new(Departure {
            fault,
            status,
            headers: map,
            body,
        })));
    }
    let body = match filling {
        Some(filling) => Payload::Filler(filling.filler()),
        None => Payload::Whole(reply.body.into()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = map;
    Ok(response)
}
