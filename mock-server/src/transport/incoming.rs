//! Reads requests from hyper for the engine.

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http::request::Parts;
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::headers::texts;
use super::no_response::{NoResponse, READ_TIMEOUT};
use crate::engine::Request;
use crate::shutdown::Shutdown;

/// Reads a request with its body. A body above the limit is discarded as soon as `Content-Length` or
/// its bytes exceed the limit.
pub(crate) async fn receive(
    request: http::Request<Incoming>,
    limit: usize,
    shutdown: &Shutdown,
) -> Result<Request, NoResponse> {
    let (head, body) = request.into_parts();
    let received = read_head(&head);
    let Some(length) = length_above(&head.headers, limit) else {
        if body.is_end_stream() {
            return Ok(received);
        }
        let received = timeout(READ_TIMEOUT, receive_body(received, body, limit));
        return tokio::select! {
            biased;
            received = received => received.unwrap_or(Err(NoResponse::Incomplete)),
            () = shutdown.started() => Err(NoResponse::Incomplete),
        };
    };
    // A client that sent `Expect: 100-continue` does not send its body.
    if !head.headers.contains_key(EXPECT) {
        discard(body);
    }
    Ok(received.discarded_body(length))
}

/// Returns a request without its body.
fn read_head(head: &Parts) -> Request {
    let target = head.uri.path_and_query();
    let target = target.map_or("", |target| target.as_str());
    let mut received = Request::new(head.method.as_str(), target);
    received.headers = texts(&head.headers);
    // It replaces `Host` (RFC 9112, section 3.2.2).
    if let Some(authority) = head.uri.authority() {
        received.headers.retain(|(name, _)| name != "host");
        received = received.header("host", authority.as_str());
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
    loop {
        match body.frame().await.transpose()? {
            None => return Ok(None),
            // Ignore trailers.
            Some(frame) => match frame.into_data() {
                Ok(data) => return Ok(Some(data)),
                Err(_) => continue,
            },
        }
    }
}
