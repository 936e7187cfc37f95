//! Converts the replies of a service into responses for hyper.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::Full;

use super::headers::headers;
use super::no_response::NoResponse;
use crate::faults::PlannedReply;

/// Converts a reply into a response.
///
/// # Errors
///
/// [`NoResponse::Fault`] for a reply with a wire fault.
pub(crate) fn respond(planned: PlannedReply) -> Result<Response<Full<Bytes>>, NoResponse> {
    if let Some(wire) = planned.wire {
        return Err(NoResponse::Fault(Box::new(planned), wire));
    }
    let PlannedReply {
        code,
        headers: lines,
        body,
        ..
    } = planned;
    let status = StatusCode::from_u16(code).expect("a reply has a status of three digits");
    // Room for the headers that hyper adds.
    let mut map = HeaderMap::with_capacity(lines.len() + 2);
    map.extend(headers(lines));
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = map;
    Ok(response)
}
