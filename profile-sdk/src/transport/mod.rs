//! The only module that uses the network.

mod attempt;
mod base_url;
mod body;
#[cfg(feature = "tower")]
pub(crate) mod http_service;
mod network;
mod tls;

pub(crate) use attempt::AttemptState;
pub(crate) use base_url::{BaseUrl, parse_proxy};
pub use tls::{Tls, tls_advice};

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderValue};
use url::Url;

use body::{Incoming, read_body};
#[cfg(feature = "tower")]
use http_service::{AddLayer, HttpService};
use network::Network;

use crate::client::CallSettings;
use crate::error::{Error, RawResponse, invalid_because};
use crate::json::Body;
use crate::pacing::{Clock, InFlight};
use crate::request::{Method, Request};
use crate::values::InvalidValue;

/// The time without data after which an HTTP/2 connection with calls in flight is checked. hyper closes
/// it if there is no response within 20 seconds.
#[cfg(feature = "http2")]
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// The settings of a transport.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) base_url: Option<String>,
    pub(crate) plain_http_allowed: bool,
    pub(crate) proxy: Option<String>,
    pub(crate) tls: Option<Tls>,
    /// Additional root certificates in PEM.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) connect_timeout: Duration,
    pub(crate) max_response_bytes: usize,
    #[cfg(feature = "tower")]
    pub(crate) layers: Vec<AddLayer>,
}

impl Settings {
    /// Parses the base URL and the URL of the proxy.
    pub(crate) fn parse_urls(&self) -> Result<(BaseUrl, Option<Url>), Error> {
        let Some(base_url) = &self.base_url else {
            let reason = "no base URL is set; call ClientBuilder::base_url, or set \
                          PROFILE_BASE_URL and use from_env";
            return Err(Error::invalid(reason));
        };
        let base_url = BaseUrl::parse(base_url, self.plain_http_allowed)?;
        let proxy = self.proxy.as_deref().map(parse_proxy).transpose()?;
        // A proxy can read all plain HTTP, even if the base URL is on this machine.
        if proxy.is_some() && !base_url.is_https() && !self.plain_http_allowed {
            let reason = "could read requests to a plain HTTP base URL; \
                          use https, or call ClientBuilder::allow_plain_http";
            return Err(InvalidValue::new("proxy", reason).into());
        }
        Ok((base_url, proxy))
    }

    fn create_http(
        &self,
        http: reqwest::ClientBuilder,
        is_https: bool,
        proxy: Option<Url>,
    ) -> Result<reqwest::Client, Error> {
        let http = http
            .connect_timeout(self.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            // Ignore the proxy environment variables, and features of reqwest that other crates of
            // the program may enable.
            .no_proxy()
            .no_brotli()
            .no_deflate()
            .no_gzip()
            .no_zstd();
        // Other crates of the program may enable HTTP/2 in the HTTP client.
        #[cfg(not(feature = "http2"))]
        let http = http.http1_only();
        let mut http = http;
        // A timeout does not close an HTTP/2 connection: if it hangs, retries would time out, too.
        #[cfg(feature = "http2")]
        if is_https {
            http = http
                .http2_keep_alive_interval(PING_INTERVAL)
                .http2_max_header_list_size(network::MAX_HEADER_BYTES);
        }
        if let Some(proxy) = proxy {
            let proxy = reqwest::Proxy::all(proxy).expect("an HTTP or HTTPS URL, which has a host");
            http = http.proxy(proxy);
        }
        let root_certificates = is_https.then_some(&self.root_certificates[..]);
        tls::prepare(http, self.tls, root_certificates)?
            .build()
            .map_err(|error| invalid_because("could not create the HTTP client", error))
    }
}

/// One attempt to send a request. By reference, since an async function stores its arguments twice.
pub(crate) struct Outgoing<'a> {
    pub(crate) request: &'a Request,
    /// In addition to those of the request.
    pub(crate) headers: &'a HeaderMap,
    pub(crate) clock: &'a Arc<dyn Clock>,
    /// The time until the deadline of the call.
    pub(crate) left: Duration,
    pub(crate) settings: &'a CallSettings,
    /// `true` after an attempt without a response, whose connection came from the pool.
    pub(crate) avoids_pool: bool,
    /// Recorded if the call can be ended.
    pub(crate) state: Option<&'a AttemptState>,
}

/// The connections to one service, shared by the clients of all keys.
pub(crate) struct Transport {
    network: Network,
    /// The network and the layers around it, if there are any.
    #[cfg(feature = "tower")]
    layered: Option<HttpService>,
    pub(crate) base_url: BaseUrl,
    max_response_bytes: usize,
}

impl Transport {
    /// Creates a transport that loads no root certificates unless HTTPS is needed. A proxy also
    /// receives the user agent. Requests can override the timeout.
    pub(crate) fn new(
        settings: Settings,
        user_agent: HeaderValue,
        default_timeout: Duration,
    ) -> Result<Self, Error> {
        let (base_url, proxy) = settings.parse_urls()?;
        let max_response_bytes = settings.max_response_bytes;
        #[cfg(feature = "tower")]
        let layers = settings.layers.clone();
        let is_https_proxy = proxy.as_ref().is_some_and(|url| url.scheme() == "https");
        let is_https = base_url.is_https() || is_https_proxy;
        let origin = proxy.as_ref().map(|url| url.origin().ascii_serialization());
        let create_http = move |idle: Duration| {
            let http = reqwest::Client::builder()
                .user_agent(user_agent.clone())
                .timeout(default_timeout)
                .pool_idle_timeout(idle)
                .pool_max_idle_per_host(if idle.is_zero() { 0 } else { usize::MAX });
            settings.create_http(http, is_https, proxy.clone())
        };
        let network = Network::new(Arc::new(create_http), origin, default_timeout)?;
        Ok(Self {
            #[cfg(feature = "tower")]
            layered: HttpService::with_layers(&network, &layers),
            network,
            base_url,
            max_response_bytes,
        })
    }

    /// Returns the origin of the proxy if it may have sent a response itself: HTTPS is tunneled.
    pub(crate) fn plain_proxy(&self) -> Option<&str> {
        let proxy = self.network.proxy.as_deref();
        proxy.filter(|_| !self.base_url.is_https())
    }

    /// Sends a request once, and reads the response, whatever its status code. Also returns an error if the body
    /// is incomplete.
    pub(crate) async fn exchange(
        &self,
        outgoing: &Outgoing<'_>,
    ) -> Result<(RawResponse, Option<Error>), Error> {
        let sent = self.send(outgoing);
        let (mut response, _in_flight) = sent.await?;
        if let Some(state) = outgoing.state {
            state.answered();
        }
        let max_bytes = match response.status().is_success() {
            true => self.max_response_bytes,
            false => Error::MAX_BODY_BYTES,
        };
        let (body, body_error) = read_body(&mut response, max_bytes).await;
        let response = RawResponse {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body: Body::new(body),
            is_truncated: body_error.is_some(),
        };
        Ok((response, body_error))
    }

    async fn send<'a>(&self, outgoing: &Outgoing<'a>) -> Result<(Incoming, InFlight<'a>), Error> {
        #[cfg(feature = "tower")]
        if let Some(layered) = &self.layered {
            // Boxed, to keep calls without layers small.
            return Box::pin(self.send_layered(layered.clone(), outgoing)).await;
        }
        let in_flight = InFlight::new(outgoing.clock);
        let timeout = outgoing.settings.attempt_timeout.min(outgoing.left);
        // The request is not held while the response is awaited, to keep calls small.
        let response = {
            let (request, body) = self.prepare(outgoing);
            let avoids_pool = outgoing.avoids_pool;
            self.network
                .send(request, body, timeout, avoids_pool, outgoing.state)
        };
        let response = response.await?;
        Ok((Incoming::Network { response, timeout }, in_flight))
    }

    #[cfg(feature = "tower")]
    async fn send_layered<'a>(
        &self,
        mut layered: HttpService,
        outgoing: &Outgoing<'a>,
    ) -> Result<(Incoming, InFlight<'a>), Error> {
        let left = layered.ready(outgoing.left).await?;
        let in_flight = InFlight::new(outgoing.clock);
        let timeout = outgoing.settings.attempt_timeout.min(left);
        let (request, body) = self.prepare(outgoing);
        let request = http::Request::try_from(request)
            .map_err(|error| network::transport_error(error, timeout))?
            .map(|_| body.unwrap_or_default());
        let sent = layered.send(request, timeout, outgoing);
        let (response, deadline) = sent.await?;
        let response = Incoming::Layered {
            response: Box::new(response),
            deadline,
            timeout,
        };
        Ok((response, in_flight))
    }

    /// Returns the request with all headers, and its body.
    fn prepare(&self, outgoing: &Outgoing<'_>) -> (reqwest::Request, Option<Bytes>) {
        let request = outgoing.request;
        let method = reqwest::Method::from_str(request.method().as_str());
        let method = method.expect("a method of HTTP");
        let mut headers = outgoing.headers.clone();
        for (name, value) in &request.headers {
            headers.insert(name, value.clone());
        }
        let body = request.body.clone();
        if body.is_some() {
            let json = HeaderValue::from_static("application/json");
            headers.insert(header::CONTENT_TYPE, json);
        } else if matches!(request.method(), Method::Post | Method::Put | Method::Patch) {
            // As RFC 9110, section 8.6, recommends for methods that define a meaning for a body.
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let mut prepared = reqwest::Request::new(method, self.base_url.join(request));
        #[cfg(feature = "tracing")]
        trace_headers(&headers);
        *prepared.headers_mut() = headers;
        (prepared, body)
    }
}

/// Emits an event for each header. Values that may be secret are redacted.
#[cfg(feature = "tracing")]
fn trace_headers(headers: &HeaderMap) {
    for (name, value) in headers {
        let value = match value.is_sensitive() {
            true => "[redacted]",
            false => value.to_str().unwrap_or("[not text]"),
        };
        tracing::trace!(target: "profile_sdk", "> {name}: {value}");
    }
}
