//! Response bodies for hyper.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::faults::BodyChunks;

/// A response body: in memory, generated while it is sent, or forwarded.
pub(crate) enum Payload {
    Whole(Bytes),
    Generated(BodyChunks),
    Forwarded(Incoming),
}

impl Body for Payload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let bytes = match self.get_mut() {
            Self::Whole(bytes) => std::mem::take(bytes),
            Self::Generated(chunks) => next_piece(chunks),
            Self::Forwarded(body) => return Pin::new(body).poll_frame(context),
        };
        let frame = (!bytes.is_empty()).then(|| Ok(Frame::data(bytes)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Generated(chunks) => chunks.len() == 0,
            Self::Forwarded(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Generated(chunks) => SizeHint::with_exact(chunks.len()),
            Self::Forwarded(body) => body.size_hint(),
        }
    }
}

/// Removes and returns the next piece; empty at the end.
fn next_piece(chunks: &mut BodyChunks) -> Bytes {
    if !chunks.head.is_empty() {
        return std::mem::take(&mut chunks.head);
    }
    if chunks.times > 0 {
        chunks.times -= 1;
        return chunks.piece.clone();
    }
    std::mem::take(&mut chunks.tail)
}
