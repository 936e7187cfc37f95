//! The way of a request from hyper to the engine.

use std::future::poll_fn;
use std::pin::Pin;

use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body::Body;
use hyper::body::Incoming;

use crate::engine::Request;

/// Reads a request whole. A body above the limit is read to its end, since many a client looks at
/// the answer no sooner, and none of it is kept.
pub(super) async fn receive(
    request: http::Request<Incoming>,
    limit: usize,
) -> Result<Request, hyper::Error> {
    let (head, body) = request.into_parts();
    let target = head
        .uri
        .path_and_query()
        .map_or("", |target| target.as_str());
    let mut received = Request::new(head.method.as_str(), target);
    received.headers = headers(&head.headers);
    match unwanted_length(&head.headers, limit) {
        Some(length) => Ok(received.discarded_body(length)),
        None => receive_body(received, body, limit).await,
    }
}

fn headers(given: &HeaderMap) -> Vec<(String, String)> {
    let pairs = given.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    pairs.collect()
}

/// How long a body is that the client holds back until it is asked for, and that is too long.
fn unwanted_length(headers: &HeaderMap, limit: usize) -> Option<usize> {
    headers.get(EXPECT)?;
    let length = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    (length > limit).then_some(length)
}

async fn receive_body(
    received: Request,
    mut body: Incoming,
    limit: usize,
) -> Result<Request, hyper::Error> {
    let mut kept = Vec::new();
    let mut length = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        length += data.len();
        if length <= limit {
            kept.extend_from_slice(&data);
        } else {
            kept = Vec::new();
        }
    }
    Ok(match length > limit {
        true => received.discarded_body(length),
        false => received.body(kept),
    })
}
