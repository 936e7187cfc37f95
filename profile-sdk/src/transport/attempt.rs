//! The state of an attempt: whether its request was sent.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::error::Effect;

/// The state of the current attempt of a call that can be ended. It is recorded where it changes.
#[derive(Default)]
pub(crate) struct AttemptState(Mutex<Phase>);

#[derive(Default)]
enum Phase {
    /// The request was not handed over, so nothing was sent.
    #[default]
    Waiting,
    /// The network or a layer has the request.
    Sent(Withdraw),
    /// The head of the response has arrived.
    Answered,
    /// The call ends after this response.
    Ending,
}

/// Prevents that a request is sent. Returns `false` if it may have been sent.
type Withdraw = Box<dyn Fn() -> bool + Send>;

impl AttemptState {
    pub(super) fn sent(&self, withdraw: impl Fn() -> bool + Send + 'static) {
        *self.lock() = Phase::Sent(Box::new(withdraw));
    }

    pub(super) fn answered(&self) {
        *self.lock() = Phase::Answered;
    }

    /// Ends the attempt. Returns `true` if the call ends with it.
    pub(crate) fn is_over(&self) -> bool {
        let phase = std::mem::take(&mut *self.lock());
        matches!(phase, Phase::Ending)
    }

    /// Ends the call, and returns the effect of the attempt. Returns `None` for the response to a write, which
    /// is read to its end.
    pub(crate) fn end(&self, is_write: bool) -> Option<Effect> {
        let mut phase = self.lock();
        match &*phase {
            Phase::Waiting => Some(Effect::Unsent),
            Phase::Sent(withdraw) if withdraw() => Some(Effect::Unsent),
            Phase::Answered | Phase::Ending if is_write => {
                *phase = Phase::Ending;
                None
            }
            Phase::Sent(_) | Phase::Answered | Phase::Ending => Some(Effect::Unclear),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of one attempt. The HTTP client reads it when it has a connection, together with the
/// head of the request.
pub(super) struct RequestBody {
    bytes: Option<Bytes>,
    guard: SendGuard,
}

impl RequestBody {
    pub(super) fn new(bytes: Bytes, guard: &SendGuard) -> Self {
        let (bytes, guard) = (Some(bytes), guard.clone());
        Self { bytes, guard }
    }
}

/// Shared by [`RequestBody`] and its sender: the one that is called first decides whether the request is
/// sent.
#[derive(Clone, Default)]
pub(super) struct SendGuard(Arc<AtomicBool>);

impl SendGuard {
    /// Returns `true` if this is the first call: for the body, the request was not canceled; otherwise,
    /// the body was not sent, and cannot be sent afterwards.
    pub(super) fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
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
        if !self.guard.is_first() {
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

    use super::{RequestBody, SendGuard};

    #[tokio::test]
    async fn is_either_sent_or_canceled() {
        let guard = SendGuard::default();
        let body = RequestBody::new("text".into(), &guard);
        assert_eq!(body.collect().await.unwrap().to_bytes(), "text");
        assert!(!guard.is_first());

        let guard = SendGuard::default();
        let body = RequestBody::new("text".into(), &guard);
        assert!(guard.is_first());
        assert!(body.collect().await.is_err());
    }
}
