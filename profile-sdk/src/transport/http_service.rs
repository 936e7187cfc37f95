//! The service that layers wrap; feature `tower`.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use tokio::time::{Instant, timeout_at};
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt, service_fn};
use url::Url;

use super::Outgoing;
use super::network::{Network, could_not_create, timed_out, transport_error};
use crate::error::{Again, Effect, Error, ErrorKind, root_cause};

pub(crate) type BoxService =
    BoxCloneSyncService<http::Request<Bytes>, http::Response<ResponseBody>, Error>;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Adds a layer to a service.
pub(crate) type AddLayer = Arc<dyn Fn(HttpService) -> HttpService + Send + Sync>;

/// The timeout of the layers in addition to the network's, which reports whether the request was
/// sent and must end first.
const GRACE: Duration = Duration::from_millis(50);

/// The service that a layer of [`ClientBuilder::layer`](crate::ClientBuilder::layer) wraps: the
/// network, or the layer added before.
///
/// It sends a request once. It returns an [`Error`] if there is no response, and any response
/// otherwise, whatever its status code is. The response is not decompressed.
#[derive(Debug, Clone)]
pub struct HttpService {
    inner: BoxService,
    /// The number of requests without the extension [`Attempt`], as of a layer that builds its own.
    unmarked: Arc<AtomicU32>,
}

/// An attempt, as an extension of its request.
#[derive(Debug, Clone)]
struct Attempt {
    timeout: Duration,
    avoids_pool: bool,
    /// The number of requests that the service may have received. [`ENDED`] if the attempt has ended without
    /// one: no request is sent afterwards.
    sends: Arc<AtomicU32>,
}

/// The number of requests of an attempt that has ended: no further one can be counted.
const ENDED: u32 = u32::MAX;

impl HttpService {
    /// Returns the network with these layers around it, or `None` if there are no layers.
    pub(super) fn with_layers(network: &Network, layers: &[AddLayer]) -> Option<Self> {
        let (network, unmarked) = (network.clone(), Arc::<AtomicU32>::default());
        let counted = Arc::clone(&unmarked);
        let send = move |request| send(network.clone(), Arc::clone(&counted), request);
        let inner = BoxService::new(service_fn(send));
        let network = Self { inner, unmarked };
        let layered = layers.iter().fold(network, |inner, add| add(inner));
        (!layers.is_empty()).then_some(layered)
    }

    /// Returns this service with a layer around it.
    pub(crate) fn within(&self, inner: BoxService) -> Self {
        let unmarked = Arc::clone(&self.unmarked);
        Self { inner, unmarked }
    }

    /// Waits until the layers take a request. Returns the rest of the time. Until then, nothing was sent.
    pub(super) async fn ready(&mut self, left: Duration) -> Result<Duration, Error> {
        let deadline = Instant::now() + left;
        let result = timeout_at(deadline, ServiceExt::ready(&mut self.inner)).await;
        match result.unwrap_or_else(|_| Err(Error::deadline_passed())) {
            Ok(_) => Ok(deadline.saturating_duration_since(Instant::now())),
            Err(error) if error.inner.effect == Effect::Unclear => {
                Err(Error::not_sent(error.inner.reason))
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a request through the layers, which have until the timeout to respond. Also returns the
    /// time until which the body can be read.
    pub(super) async fn send(
        mut self,
        mut request: http::Request<Bytes>,
        timeout: Duration,
        outgoing: &Outgoing<'_>,
    ) -> Result<(http::Response<ResponseBody>, Instant), Error> {
        let sends = Arc::<AtomicU32>::default();
        let attempt = Attempt {
            timeout,
            avoids_pool: outgoing.avoids_pool,
            sends: Arc::clone(&sends),
        };
        request.extensions_mut().insert(attempt);
        let unmarked = Arc::clone(&self.unmarked);
        let before = unmarked.load(SeqCst);
        let is_unsent = move || {
            let ended = sends.compare_exchange(0, ENDED, SeqCst, SeqCst);
            ended.is_ok() && unmarked.load(SeqCst) == before
        };
        if let Some(state) = outgoing.state {
            state.sent(is_unsent.clone());
        }
        let deadline = Instant::now() + timeout + GRACE;
        let response = timeout_at(deadline, self.inner.call(request)).await;
        let error = match response.map_err(|_| timed_out(timeout))? {
            Ok(response) => return Ok((response, deadline)),
            // A layer begins no pause.
            Err(error) if error.again() == Again::AfterPause => {
                error.with(|error| error.again = Again::Now)
            }
            Err(error) => error,
        };
        if error.inner.effect == Effect::Unsent && !is_unsent() {
            return Err(Error::new(ErrorKind::ResponseLost, error.inner.reason));
        }
        Err(error)
    }
}

impl Service<http::Request<Bytes>> for HttpService {
    type Response = http::Response<ResponseBody>;
    type Error = Error;
    type Future = <BoxService as Service<http::Request<Bytes>>>::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Bytes>) -> Self::Future {
        self.inner.call(request)
    }
}

/// Sends a request that has passed all layers.
async fn send(
    network: Network,
    unmarked: Arc<AtomicU32>,
    request: http::Request<Bytes>,
) -> Result<http::Response<ResponseBody>, Error> {
    let (parts, body) = request.into_parts();
    let url = Url::parse(&parts.uri.to_string());
    let url = url.map_err(|error| could_not_create(&error.to_string()))?;
    let mut request = reqwest::Request::new(parts.method, url);
    *request.headers_mut() = parts.headers;
    let attempt = parts.extensions.get::<Attempt>();
    let timeout = attempt.map_or(network.default_timeout, |attempt| attempt.timeout);
    let count = |sends: u32| sends.checked_add(1);
    let sends = attempt.map_or(&*unmarked, |attempt| &*attempt.sends);
    sends
        .fetch_update(SeqCst, SeqCst, count)
        .map_err(|_| Error::not_sent("the request was not sent, because its attempt has ended"))?;
    let body = (!body.is_empty()).then_some(body);
    let avoids_pool = attempt.is_some_and(|attempt| attempt.avoids_pool);
    let response = network.send(request, body, timeout, avoids_pool, None);
    let response = response.await.inspect_err(|error| {
        // The service has not processed it.
        if error.inner.effect != Effect::Unclear {
            attempt.inspect(|attempt| _ = attempt.sends.fetch_sub(1, SeqCst));
        }
    })?;
    let response = http::Response::<reqwest::Body>::from(response);
    let to_error = move |error| transport_error(error, timeout);
    Ok(response.map(|body| ResponseBody::new(body.map_err(to_error))))
}

/// The body of a response of [`HttpService`](crate::HttpService). The default is empty.
#[derive(Debug, Default)]
pub struct ResponseBody {
    inner: UnsyncBoxBody<Bytes, Error>,
}

impl ResponseBody {
    pub(crate) fn new<B>(body: B) -> Self
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
pub(crate) fn to_error(error: BoxError) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => {
            // The client shortens it after it has redacted the key.
            let reason = format!("a layer failed: {}", root_cause(&*error));
            Error::new(ErrorKind::ResponseLost, reason)
        }
    }
}
