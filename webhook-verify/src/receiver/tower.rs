//! A tower layer that verifies deliveries.

use alloc::boxed::Box;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, Receiver};

/// A tower layer that wraps a service in a [`VerifyService`].
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
    /// Creates a layer that verifies with `receiver`, which counts responses from now on.
    #[must_use]
    pub fn new(receiver: Receiver) -> Self {
        receiver.failures.start_counting_responses();
        Self { receiver }
    }
}

impl<S> Layer<S> for VerifyLayer {
    type Service = VerifyService<S>;

    fn layer(&self, inner: S) -> VerifyService<S> {
        let receiver = self.receiver.clone();
        VerifyService { receiver, inner }
    }
}

/// A service that verifies each request before it calls the inner service.
///
/// It accepts requests with any body, such as `hyper::body::Incoming`. The inner service receives
/// the request with the whole body in one piece, as `http_body_util::Full<Bytes>`, and with an
/// extension of type `Verified<Bytes>`. Routers of axum accept such requests; with a body limit above 2 MB, disable the
/// `DefaultBodyLimit` of axum or use the extension. Requests that are not
/// authentic get [`Rejection::response`](crate::Rejection::response) and do not reach the inner
/// service.
///
/// It counts the responses: 2xx resets the number of consecutive failures of the [`Receiver`]. A
/// rejection, any other response, an error of the inner service and a dropped future add one.
///
/// It is ready when the inner service is. A rejected request releases the reserved capacity of the
/// inner service.
#[derive(Debug, Clone)]
pub struct VerifyService<S> {
    receiver: Receiver,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for VerifyService<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
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
        // Move the service that is ready into the future, and keep the clone, which is not ready.
        let clone = self.inner.clone();
        let mut ready = mem::replace(&mut self.inner, clone);
        let mut delivery = Delivery {
            receiver: self.receiver.clone(),
            is_verified: false,
            is_counted: false,
        };
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let receiver = &delivery.receiver;
            let received = receiver.receive_counted(&parts.headers, body, &mut delivery.is_counted);
            match received.await {
                Ok(verified) => {
                    delivery.is_verified = true;
                    let body = Full::new(verified.body.clone());
                    parts.extensions.insert(verified);
                    let response = ready.call(Request::from_parts(parts, body)).await?;
                    delivery.is_counted = true;
                    delivery.receiver.count_response(&response);
                    Ok(response)
                }
                Err(rejection) => Ok(rejection.response()),
            }
        })
    }
}

/// A delivery in progress. Counts a failure if it is dropped without a response.
struct Delivery {
    receiver: Receiver,
    is_verified: bool,
    is_counted: bool,
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.is_counted {
            self.receiver.count_failure(self.is_verified);
        }
    }
}
