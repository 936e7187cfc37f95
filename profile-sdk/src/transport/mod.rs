//! The only module that uses the network.

pub(crate) mod base_url;
mod body;
pub(crate) mod default_headers;
mod gzip;
pub(crate) mod proxy;
pub(crate) mod raw_response;
mod request_body;
pub(crate) mod tls;

use std::time::Duration;

use reqwest::header::{self, HeaderMap, HeaderValue};

use base_url::BaseUrl;
use body::read_body;
use proxy::Proxy;
use raw_response::RawResponse;
use request_body::{RequestBody, SendGuard};
use tls::{Tls, root_cause, setup_error};

use crate::error::one_line::one_line;
use crate::{Error, ErrorKind, Method, Request};

/// The settings of a transport.
pub(crate) struct Settings {
    pub(crate) base_url: BaseUrl,
    /// The headers of all requests, including the key.
    pub(crate) headers: HeaderMap,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) tls: Option<Tls>,
    /// Additional root certificates in PEM.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) connect_timeout: Duration,
    /// The timeout of the HTTP client, which requests can override.
    pub(crate) default_timeout: Duration,
    pub(crate) max_response_bytes: usize,
}

/// The connections to one service.
pub(crate) struct Transport {
    http: reqwest::Client,
    base_url: BaseUrl,
    default_timeout: Duration,
    max_response_bytes: usize,
}

impl Transport {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let mut http = reqwest::Client::builder()
            .default_headers(settings.headers)
            .connect_timeout(settings.connect_timeout)
            .timeout(settings.default_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            // Ignore the proxy environment variables, and features of reqwest that other crates of
            // the program may enable.
            .no_proxy()
            .no_brotli()
            .no_deflate()
            .no_gzip()
            .no_zstd();
        let https =
            settings.base_url.is_https() || settings.proxy.as_ref().is_some_and(Proxy::is_https);
        if let Some(proxy) = settings.proxy {
            http = http.proxy(proxy.for_all_requests());
        }
        let http = tls::prepare(
            http,
            settings.tls,
            https.then_some(&settings.root_certificates[..]),
        )?
        .build()
        .map_err(|error| setup_error("could not create the HTTP client", error))?;
        Ok(Self {
            http,
            base_url: settings.base_url,
            default_timeout: settings.default_timeout,
            max_response_bytes: settings.max_response_bytes,
        })
    }

    pub(crate) fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// Sends a request once and reads the response, whatever its status code. Also returns an error
    /// if the body is incomplete.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        timeout: Duration,
    ) -> Result<(RawResponse, Option<Error>), Error> {
        let method = match request.method() {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        };
        let url = self.base_url.join(request);
        let mut builder = self.http.request(method, url);
        // Using the timeout of the HTTP client is cheaper than setting one per request.
        if timeout != self.default_timeout {
            builder = builder.timeout(timeout);
        }
        for (name, value) in request.headers() {
            builder = builder.header(name, value);
        }
        let mut guard = None;
        if let Some(body) = request.body_bytes() {
            let (body, of_body) = RequestBody::new(body);
            guard = Some(of_body);
            builder = builder
                .header(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                )
                .body(reqwest::Body::wrap(body));
        }
        let mut response = builder
            .send()
            .await
            .map_err(|error| send_error(error, timeout, guard))?;
        let max_bytes = match response.status().is_success() {
            true => self.max_response_bytes,
            false => Error::MAX_BODY_BYTES,
        };
        let (body, body_error) = read_body(&mut response, max_bytes, timeout).await;
        let response = RawResponse {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
            is_truncated: body_error.is_some(),
        };
        Ok((response, body_error))
    }
}

/// Converts an error without a response. If the body was not sent, the service has not received the
/// request.
fn send_error(error: reqwest::Error, timeout: Duration, guard: Option<SendGuard>) -> Error {
    let is_unsent = guard.is_some_and(SendGuard::cancel);
    if is_unsent && error.is_timeout() && !error.is_connect() {
        let reason = format!(
            "could not connect within {}, so nothing was sent",
            seconds(timeout)
        );
        return Error::new(ErrorKind::Connection, reason);
    }
    transport_error(error, timeout)
}

/// Converts an error of the HTTP client.
fn transport_error(error: reqwest::Error, timeout: Duration) -> Error {
    let error = error.without_url();
    let cause = one_line(&root_cause(&error));
    let (kind, reason) = if error.is_builder() {
        let reason = format!("could not create the request, so nothing was sent: {cause}");
        (ErrorKind::Invalid, reason)
    } else if error.is_connect() {
        let advice = tls::advice(&cause);
        let reason = format!("could not connect, so nothing was sent: {cause}{advice}");
        (ErrorKind::Connection, reason)
    } else if error.is_timeout() {
        let reason = format!("no complete response within {}", seconds(timeout));
        (ErrorKind::Timeout, reason)
    } else {
        let reason = format!("the connection was lost before the response was complete: {cause}");
        (ErrorKind::Interrupted, reason)
    };
    Error::new(kind, reason)
}

fn seconds(time: Duration) -> String {
    let seconds = (time.as_secs_f64() * 100.0).round() / 100.0;
    let unit = if seconds == 1.0 { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}
