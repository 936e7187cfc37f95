//! Shared by the adapters: validates headers, reads the body up to the limit, counts rejections.

#[cfg(feature = "axum")]
mod axum;
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
use core::future::poll_fn;
use core::pin::pin;

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::Body;

use self::rejection::BoxError;
use crate::{FailureCounter, FailureRun, Headers, Verified, Verifier};

#[cfg(feature = "axum")]
use crate::PayloadError;

/// A receiver of deliveries over HTTP: a [`Verifier`], a counter of rejections, and hooks for
/// logging.
///
/// The axum extractors get it from the router's state, and `VerifyLayer::new` takes it. Call
/// [`Receiver::receive`] in other frameworks whose bodies implement `http_body::Body`. Clones share
/// the counter.
///
/// It does not set a timeout for slow senders. Set one in your server.
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
    verifier: Arc<Verifier>,
    failures: Arc<FailureCounter>,
    on_rejection: Option<Arc<RejectionHook>>,
    #[cfg(feature = "axum")]
    on_invalid_payload: Option<Arc<InvalidPayloadHook>>,
}

type RejectionHook = dyn Fn(&Rejection, FailureRun) + Send + Sync;
#[cfg(feature = "axum")]
type InvalidPayloadHook = dyn Fn(&PayloadError) + Send + Sync;

impl Receiver {
    /// Creates a receiver without hooks.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Receiver, Secret, Verifier};
    ///
    /// let receiver = Receiver::new(Verifier::new(Secret::new("It's a Secret to Everybody")?));
    /// # Ok::<(), webhook_verify::SecretError>(())
    /// ```
    #[must_use]
    pub fn new(verifier: Verifier) -> Self {
        Self {
            verifier: Arc::new(verifier),
            failures: Arc::new(FailureCounter::new()),
            on_rejection: None,
            #[cfg(feature = "axum")]
            on_invalid_payload: None,
        }
    }

    /// Sets a hook that is called with each rejection and the number of consecutive rejections.
    ///
    /// Use it to log the reason, which is not part of the response.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{MAX_CONSECUTIVE_FAILURES, Receiver, Verifier};
    ///
    /// fn receiver(verifier: Verifier) -> Receiver {
    ///     Receiver::new(verifier).on_rejection(|rejection, run| {
    ///         if run.consecutive() == MAX_CONSECUTIVE_FAILURES && !run.ever_verified() {
    ///             eprintln!("the webhook secret may be wrong: {rejection}");
    ///         }
    ///     })
    /// }
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Receiver, Verifier};
    ///
    /// fn receiver(verifier: Verifier) -> Receiver {
    ///     Receiver::new(verifier).on_invalid_payload(|error| eprintln!("{error}"))
    /// }
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Receiver;
    ///
    /// fn is_healthy(receiver: &Receiver) -> bool {
    ///     receiver.failures().consecutive() == 0
    /// }
    /// ```
    #[must_use]
    pub fn failures(&self) -> FailureRun {
        self.failures.run()
    }

    /// Reads and verifies a delivery.
    ///
    /// Validates the headers, including `Content-Length`, before it reads the body, up to
    /// [`Verifier::body_limit`].
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
        let result = self.read(headers, body).await;
        match &result {
            Ok(_) => {
                self.failures.record_success();
            }
            Err(rejection) => {
                let run = self.failures.record_failure();
                if let Some(hook) = &self.on_rejection {
                    hook(rejection, run);
                }
            }
        }
        result
    }

    async fn read<B>(&self, headers: &HeaderMap, body: B) -> Result<Verified<Bytes>, Rejection>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        let content_length = content_length(headers, &body);
        let mut stream = self
            .verifier
            .start(Headers::from(headers), content_length)?;
        let mut collected = Collected::default();
        let mut body = pin!(body);
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
            let frame = frame.map_err(|reason| Rejection::UnreadableBody(reason.into()))?;
            if let Ok(mut data) = frame.into_data() {
                let chunk = data.copy_to_bytes(data.remaining());
                stream.update(&chunk)?;
                collected.push(chunk);
            }
        }
        Ok(stream.finish()?.with_body(collected.into_bytes()))
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
            .field("verifier", &self.verifier)
            .field("failures", &self.failures())
            .finish_non_exhaustive()
    }
}

/// Returns the largest length in the `Content-Length` headers and the body's size hint.
fn content_length<B: Body>(headers: &HeaderMap, body: &B) -> Option<u64> {
    let parse = |value: &str| value.parse().ok();
    let in_headers = headers.get_all(CONTENT_LENGTH).iter();
    in_headers
        .filter_map(|value| value.to_str().ok().and_then(parse))
        .chain([body.size_hint().lower()])
        .max()
}

/// The body as one buffer, which is copied only if the body has several chunks.
#[derive(Default)]
struct Collected {
    first: Bytes,
    joined: BytesMut,
}

impl Collected {
    fn push(&mut self, chunk: Bytes) {
        if self.first.is_empty() && self.joined.is_empty() {
            self.first = chunk;
            return;
        }
        self.joined
            .extend_from_slice(&core::mem::take(&mut self.first));
        self.joined.extend_from_slice(&chunk);
    }

    fn into_bytes(self) -> Bytes {
        match self.joined.is_empty() {
            true => self.first,
            false => self.joined.freeze(),
        }
    }
}
