//! Requests from hyper for the engine, and replies of a service as responses for hyper.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, EXPECT};
use http::request::Parts;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::time::timeout;

use super::answer::Answer;
use crate::engine::{HeaderLines, Request, host};
use crate::faults::large_body::{self, ReplyBody};
use crate::faults::{PlannedReply, WireFault};
use crate::tasks::Shutdown;

/// Reads a request: passes its head to `route`, then reads its body. It is discarded after an error, and as soon
/// as `Content-Length` or its bytes exceed the limit.
pub(crate) async fn receive<T, E>(
    request: http::Request<Incoming>,
    limit: usize,
    shutdown: &Shutdown,
    route: impl FnOnce(&mut Request) -> Result<T, E>,
) -> Result<(Result<T, E>, Request), NoResponse> {
    let (head, body) = request.into_parts();
    let mut received = read_head(&head);
    let routed = route(&mut received);
    let received = match length_above(&head.headers, limit) {
        None if body.is_end_stream() => received,
        None if routed.is_ok() => {
            let received = timeout(READ_TIMEOUT, receive_body(received, body, limit));
            tokio::select! {
                biased;
                received = received => received.unwrap_or(Err(NoResponse::Incomplete)),
                () = shutdown.started() => Err(NoResponse::Incomplete),
            }?
        }
        length => {
            // A client that sent `Expect: 100-continue` does not send its body.
            if !head.headers.contains_key(EXPECT) {
                discard(body);
            }
            received.discarded_body(length.unwrap_or_default())
        }
    };
    Ok((routed, received))
}

/// Returns a request without its body.
fn read_head(head: &Parts) -> Request {
    let authority = head.uri.authority().map(Authority::as_str).map(host);
    // CONNECT has only a host and a port.
    let target = head.uri.path_and_query().map(PathAndQuery::as_str);
    let target = target.or(authority).unwrap_or_default();
    let mut received = Request::new(head.method.as_str(), target);
    received.headers = texts(&head.headers);
    received.version = head.version;
    if let Some(host) = authority {
        let scheme = head.uri.scheme_str();
        received.sent = scheme.map(|scheme| format!("{scheme}://{host}{target}").into());
        // It replaces `Host` (RFC 9112, section 3.2.2).
        received.headers.retain(|(name, _)| name != "host");
        received = received.header("host", host);
    }
    received
}

/// Returns the `Content-Length` if it exceeds the limit.
fn length_above(headers: &HeaderMap, limit: usize) -> Option<usize> {
    let length = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    (length > limit).then_some(length)
}

async fn receive_body(
    received: Request,
    mut body: Incoming,
    limit: usize,
) -> Result<Request, NoResponse> {
    let mut kept = Vec::new();
    while let Some(data) = next(&mut body).await? {
        if kept.len() + data.len() > limit {
            discard(body);
            return Ok(received.discarded_body(kept.len() + data.len()));
        }
        kept.extend_from_slice(&data);
    }
    Ok(received.body(kept))
}

/// Reads the rest of a body while the response is sent, since many clients read the response only
/// after they have sent the whole request.
fn discard(mut body: Incoming) {
    tokio::spawn(timeout(READ_TIMEOUT, async move {
        while let Ok(Some(_)) = next(&mut body).await {}
    }));
}

/// Returns the next bytes of a body, or `None` at its end.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, hyper::Error> {
    while let Some(frame) = body.frame().await.transpose()? {
        // Ignore trailers.
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The body of a response.
pub(crate) type ResponseBody = Full<ReplyBody>;

/// A response to a request, or the reason for ending the connection without one.
pub(crate) type Responded = Result<Response<ResponseBody>, NoResponse>;

/// Converts the answer of a service into a response.
///
/// # Errors
///
/// [`NoResponse::Fault`] for a reply with a wire fault.
pub(crate) fn respond(answer: Answer) -> Responded {
    match answer.reply.wire {
        Some(wire) => Err(NoResponse::Fault(Box::new(answer), wire)),
        None => Ok(response(answer.reply)),
    }
}

/// Converts a reply without a wire fault into a response.
pub(crate) fn response(planned: PlannedReply) -> Response<ResponseBody> {
    let status = StatusCode::from_u16(planned.code).expect("a reply has a status of three digits");
    // Room for the headers that hyper adds.
    let mut map = HeaderMap::with_capacity(planned.headers.len() + 2);
    map.extend(headers(planned.headers));
    let large = planned.large.map(large_body::json);
    let body = large.unwrap_or_else(|| large_body::plain(planned.body));
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = map;
    response
}

/// Maximum time that a client may take to send the head of a request, or its body.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why hyper does not send a response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoResponse {
    /// A wire fault applies. The reply is written to the connection after hyper has released it.
    #[error("the connection ends with a wire fault")]
    Fault(Box<Answer>, WireFault),
    /// The connection failed while the request was read.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The client stopped sending in the middle of the request, or the server shuts down before the
    /// whole request has arrived.
    #[error("the rest of the body did not arrive in time")]
    Incomplete,
}

/// Converts the headers of a request for the engine.
pub(super) fn texts(given: &HeaderMap) -> Vec<(String, String)> {
    // A value that is not UTF-8 is in Latin-1, as in older versions of HTTP.
    let text = |value: &HeaderValue| {
        let latin_1 = |_| value.as_bytes().iter().copied().map(char::from).collect();
        std::str::from_utf8(value.as_bytes()).map_or_else(latin_1, str::to_owned)
    };
    let given = given.iter();
    given
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// Converts the headers of a reply.
pub(super) fn headers(lines: HeaderLines) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    lines.into_iter().map(|(name, value)| {
        let name = HeaderName::try_from(&*name).expect("header names of a reply are valid");
        // A method or path in a rejection came through hyper, so it is valid in a header.
        let value = HeaderValue::try_from(value.into_owned());
        (name, value.expect("header values of a reply are valid"))
    })
}
