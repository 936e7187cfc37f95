//! Shared by the adapters: validates headers, reads the body up to the limit, counts rejections.

#[cfg(feature = "axum")]
mod axum;
mod body;
mod rejection;
#[cfg(feature = "tower")]
mod tower;

#[cfg(feature = "axum")]
pub use axum::VerifiedEvent;
pub use rejection::Rejection;
#[cfg(feature = "tower")]
pub use tower::{VerifyLayer, VerifyService};

use alloc::sync::Arc;
use core::fmt;
use core::pin::{Pin, pin};
use core::time::Duration;
use std::sync::{PoisonError, RwLock};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body;
use tokio::time::{Instant, timeout_at};

use self::rejection::BoxError;
use crate::{FailureCounter, FailureRun, Headers, Verified, Verifier};

#[cfg(feature = "axum")]
use crate::PayloadError;

/// A receiver of deliveries over HTTP: a [`Verifier`], a counter of rejections, and hooks for
/// logging.
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
///     .on_rejection(|rejection, run| eprintln!("webhook rejected: {rejection} ({run})"));
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[derive(Clone)]
pub struct Receiver {
    verifier: Arc<RwLock<Arc<Verifier>>>,
    failures: Arc<FailureCounter>,
    time_limit: Option<Duration>,
    on_verified: Option<Arc<VerifiedHook>>,
    on_rejection: Option<Arc<RejectionHook>>,
    #[cfg(feature = "axum")]
    on_invalid_payload: Option<Arc<InvalidPayloadHook>>,
}

type VerifiedHook = dyn Fn(&Verified<Bytes>) + Send + Sync;
type RejectionHook = dyn Fn(&Rejection, FailureRun) + Send + Sync;
#[cfg(feature = "axum")]
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
            #[cfg(feature = "axum")]
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
    /// Hooks and the counter stay. A delivery that is being read is verified with the previous one.
    pub fn set_verifier(&self, verifier: Verifier) {
        *self
            .verifier
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(verifier);
    }

    /// Returns the current verifier.
    fn verifier(&self) -> Arc<Verifier> {
        self.verifier
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets a hook that is called with each verified delivery, before it is handled.
    ///
    /// Use it to count deliveries, or to find out when the service uses a new secret.
    #[must_use]
    pub fn on_verified(mut self, hook: impl Fn(&Verified<Bytes>) + Send + Sync + 'static) -> Self {
        self.on_verified = Some(Arc::new(hook));
        self
    }

    /// Sets a hook that is called with each rejection and the number of consecutive rejections.
    ///
    /// Use it to log the reason, which is not part of the response.
    #[must_use]
    pub fn on_rejection(
        mut self,
        hook: impl Fn(&Rejection, FailureRun) + Send + Sync + 'static,
    ) -> Self {
        self.on_rejection = Some(Arc::new(hook));
        self
    }

    /// Sets a hook that is called if the payload of an authentic delivery is not valid JSON or does
    /// not match the type of a [`VerifiedEvent`].
    #[cfg(feature = "axum")]
    #[must_use]
    pub fn on_invalid_payload(
        mut self,
        hook: impl Fn(&PayloadError) + Send + Sync + 'static,
    ) -> Self {
        self.on_invalid_payload = Some(Arc::new(hook));
        self
    }

    /// Returns the number of consecutive rejections.
    #[must_use]
    pub fn failures(&self) -> FailureRun {
        self.failures.run()
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
    pub async fn receive<B>(
        &self,
        headers: &HeaderMap,
        body: B,
    ) -> Result<Verified<Bytes>, Rejection>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        let mut body = pin!(body);
        // An instant that cannot be represented is no limit, as in `tokio::time::timeout`.
        let deadline = self
            .time_limit
            .and_then(|limit| Some((limit, Instant::now().checked_add(limit)?)));
        let reading = self.read(headers, body.as_mut());
        let result = match deadline {
            Some((limit, end)) => {
                let result = timeout_at(end, reading).await;
                result.unwrap_or(Err(Rejection::TimedOut(limit)))
            }
            None => reading.await,
        };
        match &result {
            Ok(verified) => {
                self.failures.record_success();
                if let Some(hook) = &self.on_verified {
                    hook(verified);
                }
            }
            Err(rejection) => {
                let run = self.failures.record_failure();
                if let Some(hook) = &self.on_rejection {
                    hook(rejection, run);
                }
                if let Rejection::NotVerified(_) = rejection {
                    let discarding = body::discard(headers, body);
                    match deadline {
                        Some((_, end)) => drop(timeout_at(end, discarding).await),
                        None => discarding.await,
                    }
                }
            }
        }
        result
    }

    async fn read<B>(
        &self,
        headers: &HeaderMap,
        mut body: Pin<&mut B>,
    ) -> Result<Verified<Bytes>, Rejection>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        let content_length = body::content_length(headers, &*body);
        let mut stream = self
            .verifier()
            .start(Headers::from(headers), content_length)?;
        let mut received = BytesMut::new();
        while let Some(chunk) = body::next_chunk(body.as_mut()).await {
            let chunk = chunk.map_err(|reason| Rejection::UnreadableBody(reason.into()))?;
            stream.update(&chunk)?;
            received.extend_from_slice(&chunk);
        }
        Ok(stream.finish()?.with_body(received.freeze()))
    }

    #[cfg(feature = "axum")]
    fn report_invalid_payload(&self, error: &PayloadError) {
        if let Some(hook) = &self.on_invalid_payload {
            hook(error);
        }
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("verifier", &self.verifier())
            .field("failures", &self.failures())
            .finish_non_exhaustive()
    }
}
