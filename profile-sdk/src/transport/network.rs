//! Sends requests with reqwest, and converts its errors.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use reqwest::{Request, Response};

use crate::error::body::one_line;
use crate::error::kind::{causes, root_cause};
use crate::error::{Error, ErrorKind};

/// The HTTP client and its connections.
#[derive(Debug, Clone)]
pub(super) struct Network {
    pub(super) http: reqwest::Client,
    /// The timeout of the HTTP client.
    pub(super) default_timeout: Duration,
}

impl Network {
    /// Sends a request and returns the head of the response. Not an async function, because its
    /// future would store the request, which is large.
    pub(super) fn send(
        &self,
        mut request: Request,
        body: Option<Bytes>,
        timeout: Duration,
    ) -> impl Future<Output = Result<Response, Error>> + Send {
        // Using the timeout of the HTTP client is cheaper than setting one per request.
        if timeout != self.default_timeout {
            *request.timeout_mut() = Some(timeout);
        }
        let guard = body.map(|body| {
            let guard = SendGuard::default();
            let body = RequestBody::new(body, &guard);
            *request.body_mut() = Some(reqwest::Body::wrap(body));
            guard
        });
        let response = self.http.execute(request);
        async move {
            response
                .await
                .map_err(|error| send_error(error, timeout, guard))
        }
    }
}

/// The body of one attempt. The HTTP client reads it when it has a connection, together with the
/// head of the request.
struct RequestBody {
    bytes: Option<Bytes>,
    guard: SendGuard,
}

impl RequestBody {
    fn new(bytes: Bytes, guard: &SendGuard) -> Self {
        let (bytes, guard) = (Some(bytes), guard.clone());
        Self { bytes, guard }
    }
}

/// Shared by [`RequestBody`] and its sender: the one that is called first decides whether the request is
/// sent.
#[derive(Clone, Default)]
struct SendGuard(Arc<AtomicBool>);

impl SendGuard {
    /// Returns `true` if this is the first call: for the body, the request was not canceled; otherwise,
    /// the body was not sent, and cannot be sent afterwards.
    fn is_first(&self) -> bool {
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

/// Converts an error without a response. If the body was not sent, the service has not received the
/// request.
fn send_error(error: reqwest::Error, timeout: Duration, guard: Option<SendGuard>) -> Error {
    if is_unprocessed(&error) {
        let reason = "the service closed the connection without processing the request, so nothing \
                      was applied";
        return Error::new(ErrorKind::Connection, reason);
    }
    let is_unsent = guard.is_some_and(|guard| guard.is_first());
    if is_unsent && error.is_timeout() && !error.is_connect() {
        let reason = format!(
            "could not send the request within {}, so nothing was sent",
            seconds(timeout)
        );
        return Error::new(ErrorKind::Connection, reason);
    }
    transport_error(error, timeout)
}

/// Returns `true` if the service states that it has not processed the request: the stream is refused, or
/// newer than the last one of a connection that closes without an error (RFC 9113, 6.8 and 8.7).
#[cfg(feature = "http2")]
fn is_unprocessed(error: &reqwest::Error) -> bool {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<h2::Error>());
    causes.any(|error| {
        let is_closed = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (is_closed || is_refused)
    })
}

#[cfg(not(feature = "http2"))]
fn is_unprocessed(_: &reqwest::Error) -> bool {
    false
}

/// Returns `true` if an HTTP/2 connection did not respond to a ping. The HTTP client does not export the
/// type of this error.
fn is_hung(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.to_string() == "keep-alive timed out")
}

/// Converts an error of the HTTP client.
pub(super) fn transport_error(error: reqwest::Error, timeout: Duration) -> Error {
    let origin = error.url().map(|url| url.origin().ascii_serialization());
    let error = error.without_url();
    let cause = one_line(&root_cause(&error));
    let (kind, reason) = if error.is_builder() {
        return could_not_create(&cause);
    } else if error.is_connect() {
        let (to, advice) = (origin.unwrap_or_default(), advice(&cause));
        let reason = format!("could not connect to {to}, so nothing was sent: {cause}{advice}");
        (ErrorKind::Connection, reason)
    } else if is_hung(&error) {
        let reason = "the connection hung: the service did not respond to a ping";
        (ErrorKind::Interrupted, reason.to_owned())
    } else if error.is_timeout() {
        return timed_out(timeout);
    } else {
        let reason = format!("the connection was lost before the response was complete: {cause}");
        (ErrorKind::Interrupted, reason)
    };
    Error::new(kind, reason)
}

/// Returns advice for a failed connection. Proxies and some TLS implementations report the cause only
/// in the text of the error.
fn advice(cause: &str) -> &'static str {
    let contains = |texts: &str| texts.split('|').any(|text| cause.contains(text));
    if contains("InvalidContentType|wrong version number|packet length too long") {
        "; the service does not support HTTPS on this port; check the base URL"
    } else if contains("UnknownIssuer|certificate verify failed") {
        "; if a private authority issued the service's certificate, trust the root certificate of \
         that authority"
    } else if contains("proxy authorization required") {
        "; check the user name and password in the URL of the proxy"
    } else if contains("tunnel error: unsuccessful") {
        "; the proxy refuses to connect to the service"
    } else {
        ""
    }
}

pub(super) fn could_not_create(cause: &str) -> Error {
    let reason = format!("could not create the request, so nothing was sent: {cause}");
    Error::new(ErrorKind::Invalid, reason)
}

pub(super) fn timed_out(timeout: Duration) -> Error {
    let reason = format!("no complete response within {}", seconds(timeout));
    Error::new(ErrorKind::Timeout, reason)
}

fn seconds(time: Duration) -> String {
    if time < Duration::from_millis(10) {
        return format!("{time:?}");
    }
    let seconds = (time.as_secs_f64() * 100.0).round() / 100.0;
    let unit = if seconds == 1.0 { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::BodyExt as _;

    use super::{RequestBody, SendGuard, seconds};

    #[test]
    fn durations_are_readable() {
        for (milliseconds, text) in [
            (1, "1ms"),
            (4, "4ms"),
            (50, "0.05 seconds"),
            (1000, "1 second"),
            (30_000, "30 seconds"),
        ] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), text);
        }
    }

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
