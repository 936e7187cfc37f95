//! The body of a response that passes through layers; feature `tower`.

use std::error::Error as StdError;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;

use crate::error::kind::root_cause;
use crate::error::{Error, ErrorKind};

pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// The body of a response of [`HttpService`](crate::HttpService).
#[derive(Debug)]
pub struct ResponseBody {
    inner: UnsyncBoxBody<Bytes, Error>,
}

impl ResponseBody {
    pub(super) fn new<B>(body: B) -> Self
    where
        B: Body<Data: Buf, Error: Into<BoxError>> + Send + 'static,
    {
        let to_bytes = |mut data: B::Data| data.copy_to_bytes(data.remaining());
        let body = body
            .map_frame(move |frame| frame.map_data(to_bytes))
            .map_err(|error| to_error(error.into()));
        Self {
            inner: body.boxed_unsync(),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Returns the error of the network unchanged. The error of a layer does not show whether the
/// request was sent.
pub(super) fn to_error(error: BoxError) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => {
            // The client shortens it after it has redacted the key.
            let reason = format!("a layer failed: {}", root_cause(&*error));
            Error::new(ErrorKind::Interrupted, reason)
        }
    }
}
