//! A tower layer that lets authentic deliveries through and nothing else.

use alloc::boxed::Box;
use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

use super::Receiver;
use super::rejection::BoxError;

/// Puts a [`VerifyService`] around a service.
///
/// # Examples
///
/// ```
/// use tower::ServiceBuilder;
/// use webhook_verify::{Receiver, Secret, Verifier, VerifyLayer};
///
/// let receiver = Receiver::new(Verifier::new(Secret::new("It's a Secret to Everybody")?));
/// let layers = ServiceBuilder::new().layer(VerifyLayer::new(receiver)).concurrency_limit(16);
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[derive(Debug, Clone)]
pub struct VerifyLayer {
    receiver: Receiver,
}

impl VerifyLayer {
    /// A layer that verifies with `receiver`.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Receiver, VerifyLayer};
    ///
    /// fn layer(receiver: &Receiver) -> VerifyLayer {
    ///     VerifyLayer::new(receiver.clone())
    /// }
    /// ```
    #[must_use]
    pub fn new(receiver: Receiver) -> Self {
        Self { receiver }
    }
}

impl<S> Layer<S> for VerifyLayer {
    type Service = VerifyService<S>;

    fn layer(&self, inner: S) -> VerifyService<S> {
        VerifyService {
            receiver: self.receiver.clone(),
            inner,
        }
    }
}

/// Verifies each request before the inner service sees it.
///
/// The inner service gets the request with its body in one piece, and the
/// witness as an extension of type `Verified<Bytes>`. What is not authentic is
/// answered here with [`Rejection::response`](crate::Rejection::response): an empty
/// 401, 413 for a body over the limit, 400 for one that broke off.
///
/// It is ready when the inner service is, and the readiness that was reserved
/// serves the same request, or is given back when that is refused.
#[derive(Debug, Clone)]
pub struct VerifyService<S> {
    receiver: Receiver,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for VerifyService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Body + From<Bytes> + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
    R: Default,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that was made ready goes into the future; its clone, which
        // has reserved nothing, stays for the next request.
        let clone = self.inner.clone();
        let mut ready = mem::replace(&mut self.inner, clone);
        let receiver = self.receiver.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            match receiver.receive(&parts.headers, body).await {
                Ok(verified) => {
                    let body = B::from(verified.bytes());
                    parts.extensions.insert(verified);
                    ready.call(Request::from_parts(parts, body)).await
                }
                Err(rejection) => Ok(rejection.response()),
            }
        })
    }
}
