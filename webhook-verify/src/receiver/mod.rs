//! Shared by the adapters: validates headers, reads the body up to the limit, counts failures.

#[cfg(feature = "axum08")]
pub(crate) mod axum;
#[cfg(feature = "tower")]
pub(crate) mod tower;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::error::Error;
use core::fmt;
use core::pin::{Pin, pin};
use core::time::Duration;
use std::sync::{PoisonError, RwLock};

use bytes::{Buf, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, EXPECT};
use http::{HeaderMap, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

#[cfg(feature = "axum08")]
use crate::event::PayloadError;
use crate::failure_counter::{ConsecutiveFailures, FailureCounter};
use crate::signature::{Headers, VerifyError};
use crate::verifier::{Verified, Verifier};

/// A receiver of deliveries over HTTP: a [`Verifier`], a counter of failures, and hooks for logging.
///
/// The axum extractors get it from the router's state, and `VerifyLayer::new` takes it. Call
/// [`Receiver::receive`] in other frameworks whose bodies implement `http_body::Body`. Clones share
/// the verifier and the counter.
///
/// Set a [`time_limit`](Self::time_limit), or slow senders can hold a connection forever.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Receiver, Secret, Verifier};
///
/// let verifier = Verifier::new(Secret::new("It's a Secret to Everybody")?);
/// let receiver = Receiver::new(verifier)
///     .on_rejection(|rejection, consecutive| eprintln!("webhook rejected: {rejection} ({consecutive})"));
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[derive(Clone)]
pub struct Receiver {
    verifier: Arc<RwLock<Arc<Verifier>>>,
    failures: Arc<FailureCounter>,
    time_limit: Option<Duration>,
    on_verified: Option<Arc<VerifiedHook>>,
    on_rejection: Option<Arc<RejectionHook>>,
    on_failure: Option<Arc<FailureHook>>,
    #[cfg(feature = "axum08")]
    on_invalid_payload: Option<Arc<InvalidPayloadHook>>,
}

type VerifiedHook = dyn Fn(&Verified<Bytes>) + Send + Sync;
type RejectionHook = dyn Fn(&Rejection, ConsecutiveFailures) + Send + Sync;
type FailureHook = dyn Fn(ConsecutiveFailures) + Send + Sync;
#[cfg(feature = "axum08")]
type InvalidPayloadHook = dyn Fn(&PayloadError) + Send + Sync;

impl Receiver {
    /// Creates a receiver without hooks.
    #[must_use]
    pub fn new(verifier: Verifier) -> Self {
        Self {
            verifier: Arc::new(RwLock::new(Arc::new(verifier))),
            failures: Arc::new(FailureCounter::new()),
            time_limit: None,
            on_verified: None,
            on_rejection: None,
            on_failure: None,
            #[cfg(feature = "axum08")]
            on_invalid_payload: None,
        }
    }

    /// Sets the maximum time to read a body, including what is discarded after a rejection.
    ///
    /// A body that takes longer is rejected with 408. The default is no limit. Uses tokio's timer:
    /// [`Receiver::receive`] panics if a limit is set and no runtime with a timer is running.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Replaces the verifier of this receiver and all its clones, for example to rotate secrets
    /// while the server runs.
    ///
    /// The hooks and the counter are kept. A delivery that is being read is verified with the
    /// previous verifier.
    pub fn set_verifier(&self, verifier: Verifier) {
        let current = self.verifier.write();
        *current.unwrap_or_else(PoisonError::into_inner) = Arc::new(verifier);
    }

    /// Returns the current verifier.
    fn verifier(&self) -> Arc<Verifier> {
        let current = self.verifier.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets a hook that is called with each verified delivery, before it is handled.
    ///
    /// Use it to count deliveries, or to find out when the service uses a new secret.
    #[must_use]
    pub fn on_verified(mut self, hook: impl Fn(&Verified<Bytes>) + Send + Sync + 'static) -> Self {
        self.on_verified = Some(Arc::new(hook));
        self
    }

    /// Sets a hook that is called with each rejection and the number of consecutive failures.
    ///
    /// Use it to log the reason, which is not part of the response.
    #[must_use]
    pub fn on_rejection(
        mut self,
        hook: impl Fn(&Rejection, ConsecutiveFailures) + Send + Sync + 'static,
    ) -> Self {
        self.on_rejection = Some(Arc::new(hook));
        self
    }

    /// Sets a hook that is called for each failure that is counted, with the number of consecutive
    /// failures: for rejections, before [`on_rejection`](Self::on_rejection), and where
    /// [responses are counted](Self::count_response), for your own failures too.
    ///
    /// Use it to send [an alert](crate#get-an-alert-before-the-webhook-is-turned-off) before the
    /// service turns the webhook off. It must not panic.
    #[must_use]
    pub fn on_failure(
        mut self,
        hook: impl Fn(ConsecutiveFailures) + Send + Sync + 'static,
    ) -> Self {
        self.on_failure = Some(Arc::new(hook));
        self
    }

    /// Sets a hook that is called if the payload of an authentic delivery is not valid JSON or does
    /// not match the type of a [`VerifiedEvent`](crate::VerifiedEvent).
    #[cfg(feature = "axum08")]
    #[must_use]
    pub fn on_invalid_payload(
        mut self,
        hook: impl Fn(&PayloadError) + Send + Sync + 'static,
    ) -> Self {
        self.on_invalid_payload = Some(Arc::new(hook));
        self
    }

    /// Returns the number of consecutive failures.
    #[must_use]
    pub fn consecutive_failures(&self) -> ConsecutiveFailures {
        self.failures.consecutive()
    }

    /// Counts the response to a delivery, as the service does: 2xx resets the number of consecutive
    /// failures, anything else adds one.
    ///
    /// Call it for every response of your route, as
    /// [this middleware](crate#get-an-alert-before-the-webhook-is-turned-off) does. Until the first call,
    /// the receiver counts signatures: a verified delivery resets the number, even if you respond
    /// with 500. [`VerifyLayer`](crate::VerifyLayer) counts its responses itself.
    ///
    /// A rejection is counted when it happens, so [`Rejection::response`], which is marked by an
    /// extension, is not counted again. Respond to a rejection with it, and not with a response of
    /// your own.
    pub fn count_response<B>(&self, response: &Response<B>) {
        self.failures.start_counting_responses();
        if response.status().is_success() {
            self.failures.record_success();
        } else if response.extensions().get::<CountedRejection>().is_none() {
            self.count_failure(true);
        }
    }

    /// Counts a failure, and calls the hook.
    fn count_failure(&self, after_verification: bool) -> ConsecutiveFailures {
        let consecutive = self.failures.record_failure(after_verification);
        if let Some(hook) = &self.on_failure {
            hook(consecutive);
        }
        consecutive
    }

    /// Reads and verifies a delivery.
    ///
    /// Validates the headers, including `Content-Length`, before it reads the body, up to
    /// [`Verifier::body_limit`].
    ///
    /// After a rejection, it reads and discards up to 8 MiB of the rest of the body. Most servers
    /// would otherwise reset the connection, and the sender would not receive the response. Longer
    /// bodies, and bodies with `Expect: 100-continue`, are left unread. All of this takes at most
    /// [`Receiver::time_limit`].
    ///
    /// # Errors
    ///
    /// Returns a [`Rejection`] if the delivery is not authentic, too large or cannot be read.
    /// Respond with [`Rejection::response`].
    ///
    /// # Examples
    ///
    /// In a handler of hyper or another framework:
    ///
    /// ```
    /// use http::{Request, Response, StatusCode};
    /// use webhook_verify::{Receiver, Rejection};
    ///
    /// async fn handle<B>(receiver: &Receiver, request: Request<B>) -> Response<String>
    /// where
    ///     B: http_body::Body,
    ///     B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    /// {
    ///     let (parts, body) = request.into_parts();
    ///     match receiver.receive(&parts.headers, body).await {
    ///         Ok(verified) => Response::new(String::new()), // First put it into a queue.
    ///         Err(rejection) => rejection.response(),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub async fn receive<B: Body<Error: Into<BoxError>>>(
        &self,
        headers: &HeaderMap,
        body: B,
    ) -> Result<Verified<Bytes>, Rejection> {
        self.receive_counted(headers, body, &mut false).await
    }

    /// Receives a delivery. Sets `is_counted` when it counts a rejection: if the future is dropped
    /// before, nothing was counted.
    async fn receive_counted<B: Body<Error: Into<BoxError>>>(
        &self,
        headers: &HeaderMap,
        body: B,
        is_counted: &mut bool,
    ) -> Result<Verified<Bytes>, Rejection> {
        let mut body = pin!(body);
        // A limit too large for an `Instant` counts as none, as in `tokio::time::timeout`.
        let limit = self.time_limit.unwrap_or(Duration::MAX);
        let deadline = Instant::now().checked_add(limit);
        let read = async {
            let content_length = content_length(headers, &*body);
            let mut stream = self
                .verifier()
                .start(Headers::from(headers), content_length)?;
            let mut received = BytesMut::new();
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|reason| Rejection::UnreadableBody(reason.into()))?;
                // Other frames are trailers.
                if let Ok(mut data) = frame.into_data() {
                    let chunk = data.copy_to_bytes(data.remaining());
                    stream.update(&chunk)?;
                    received.extend_from_slice(&chunk);
                }
            }
            Ok(stream.finish()?.with_body(received.freeze()))
        };
        let result = until(deadline, read).await;
        let result = result.unwrap_or(Err(Rejection::TimedOut(limit)));
        match &result {
            Ok(verified) => {
                self.failures.record_verified();
                if let Some(hook) = &self.on_verified {
                    hook(verified);
                }
            }
            Err(rejection) => {
                *is_counted = true;
                let consecutive = self.count_failure(false);
                if let Some(hook) = &self.on_rejection {
                    hook(rejection, consecutive);
                }
                // After a mismatch, the body is at its end.
                if let Rejection::NotVerified(error) = rejection
                    && !matches!(error, VerifyError::Mismatch { .. })
                {
                    let _ = until(deadline, discard(headers, body)).await;
                }
            }
        }
        result
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("verifier", &self.verifier())
            .field("consecutive_failures", &self.consecutive_failures())
            .finish_non_exhaustive()
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a [`Receiver`](crate::Receiver) rejected a request.
///
/// The message is for your log. The sender gets [`Rejection::response`].
///
/// # Examples
///
/// ```
/// use webhook_verify::{Rejection, VerifyError};
///
/// let rejection = Rejection::from(VerifyError::TooLarge { length: 9, limit: 8 });
/// assert_eq!(rejection.status(), 413);
/// assert_eq!(rejection.response::<String>().body(), "");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The delivery is not authentic, or the body is too large.
    #[error("{0}")]
    NotVerified(VerifyError),
    /// Reading the body failed, for example because the sender disconnected.
    #[error("failed to read the body: {0}")]
    UnreadableBody(Box<dyn Error + Send + Sync>),
    /// The body did not arrive within [`Receiver::time_limit`](crate::Receiver::time_limit).
    #[error("the body did not arrive within {0:?}")]
    TimedOut(Duration),
}

/// Marks the response to a rejection, which is already counted.
#[derive(Clone)]
struct CountedRejection;

impl Rejection {
    /// Returns the status code of the response: 413 if the body is too large, also for a limit in front
    /// such as `http_body_util::Limited`, 400 if it could not be read, 408 if it did not arrive in time, and 401 for all other reasons, so that forgers
    /// learn nothing.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotVerified(VerifyError::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotVerified(_) => StatusCode::UNAUTHORIZED,
            Self::UnreadableBody(error) if is_too_large(&**error) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnreadableBody(_) => StatusCode::BAD_REQUEST,
            Self::TimedOut(_) => StatusCode::REQUEST_TIMEOUT,
        }
    }

    /// Creates a response with the status code and an empty body, which
    /// [`Receiver::count_response`](crate::Receiver::count_response) recognizes.
    #[must_use]
    pub fn response<B: Default>(&self) -> Response<B> {
        let mut response = Response::new(B::default());
        *response.status_mut() = self.status();
        response.extensions_mut().insert(CountedRejection);
        response
    }
}

/// Returns `true` if a limit in front of the receiver was the cause.
fn is_too_large(error: &(dyn Error + 'static)) -> bool {
    error.is::<LengthLimitError>() || error.source().is_some_and(is_too_large)
}

impl From<VerifyError> for Rejection {
    fn from(reason: VerifyError) -> Self {
        Self::NotVerified(reason)
    }
}

/// The maximum number of bytes that are read and discarded after a rejection.
const MAX_DISCARDED: u64 = 8 << 20;

/// Waits for a future until the deadline. Without one, the runtime needs no timer.
async fn until<F: Future>(deadline: Option<Instant>, future: F) -> Result<F::Output, Elapsed> {
    match deadline {
        Some(deadline) => timeout_at(deadline, future).await,
        None => Ok(future.await),
    }
}

/// Returns the largest length in the `Content-Length` headers and the body's size hint.
fn content_length<B: Body>(headers: &HeaderMap, body: &B) -> Option<u64> {
    let in_headers = headers.get_all(CONTENT_LENGTH).iter();
    let lengths = in_headers.filter_map(|value| value.to_str().ok()?.parse().ok());
    lengths.chain([body.size_hint().lower()]).max()
}

/// Reads and discards the rest of a rejected body: a server that closes a connection with unread
/// data resets it, and the sender does not receive the response.
///
/// Leaves a body longer than [`MAX_DISCARDED`] unread, and one that the sender holds back until it
/// receives `100 Continue`.
async fn discard<B: Body>(headers: &HeaderMap, mut body: Pin<&mut B>) {
    let announced = content_length(headers, &*body);
    if headers.contains_key(EXPECT) || announced > Some(MAX_DISCARDED) {
        return;
    }
    let mut discarded = 0;
    while discarded <= MAX_DISCARDED
        && let Some(Ok(frame)) = body.frame().await
    {
        discarded += frame.data_ref().map_or(0, Buf::remaining) as u64;
    }
}
