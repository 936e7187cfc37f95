//! Reading of request bodies.

use core::future::poll_fn;
use core::pin::Pin;

use bytes::{Buf, Bytes};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body::Body;

/// The maximum number of bytes that are read and discarded after a rejection.
const MAX_DISCARDED: u64 = 8 << 20;

/// Returns the largest length in the `Content-Length` headers and the body's size hint.
pub(super) fn content_length<B: Body>(headers: &HeaderMap, body: &B) -> Option<u64> {
    let parse = |value: &str| value.parse().ok();
    let in_headers = headers.get_all(CONTENT_LENGTH).iter();
    in_headers
        .filter_map(|value| value.to_str().ok().and_then(parse))
        .chain([body.size_hint().lower()])
        .max()
}

/// Returns the next chunk of the body, or `None` at its end. Skips trailers.
pub(super) async fn next_chunk<B: Body>(mut body: Pin<&mut B>) -> Option<Result<Bytes, B::Error>> {
    loop {
        match poll_fn(|context| body.as_mut().poll_frame(context)).await? {
            Ok(frame) => {
                if let Ok(mut data) = frame.into_data() {
                    return Some(Ok(data.copy_to_bytes(data.remaining())));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Reads and discards the rest of a rejected body: a server that closes a connection with unread
/// data resets it, and the sender does not receive the response.
///
/// Leaves a body longer than [`MAX_DISCARDED`] unread, and one that the sender holds back until it
/// receives `100 Continue`.
pub(super) async fn discard<B: Body>(headers: &HeaderMap, mut body: Pin<&mut B>) {
    let announced = content_length(headers, &*body);
    if headers.contains_key(EXPECT) || announced > Some(MAX_DISCARDED) {
        return;
    }
    let mut discarded = 0;
    while discarded <= MAX_DISCARDED
        && let Some(Ok(chunk)) = next_chunk(body.as_mut()).await
    {
        discarded += chunk.len() as u64;
    }
}
