//! A request body that shows whether a request was sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The body of one attempt. The HTTP client reads it when it has a connection, together with the
/// head of the request.
pub(crate) struct RequestBody {
    bytes: Option<Bytes>,
    is_decided: Arc<AtomicBool>,
}

/// Decides whether a request is sent: the first of this and [`RequestBody`] wins.
pub(crate) struct SendGuard {
    is_decided: Arc<AtomicBool>,
}

impl RequestBody {
    pub(crate) fn new(bytes: Bytes) -> (Self, SendGuard) {
        let is_decided = Arc::new(AtomicBool::new(false));
        let guard = SendGuard {
            is_decided: Arc::clone(&is_decided),
        };
        let bytes = Some(bytes);
        (Self { bytes, is_decided }, guard)
    }
}

impl SendGuard {
    /// Returns `true` if the body was not sent. It cannot be sent afterwards.
    pub(crate) fn cancel(self) -> bool {
        !self.is_decided.swap(true, Ordering::AcqRel)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Some(bytes) = self.bytes.take() else {
            return Poll::Ready(None);
        };
        if self.is_decided.swap(true, Ordering::AcqRel) {
            let canceled = io::Error::other("the request was canceled");
            return Poll::Ready(Some(Err(canceled)));
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.bytes.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(length as u64)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::RequestBody;

    #[tokio::test]
    async fn is_either_sent_or_canceled() {
        let (body, guard) = RequestBody::new("text".into());
        assert_eq!(body.collect().await.unwrap().to_bytes(), "text");
        assert!(!guard.cancel());

        let (body, guard) = RequestBody::new("text".into());
        assert!(guard.cancel());
        assert!(body.collect().await.is_err());
    }
}
