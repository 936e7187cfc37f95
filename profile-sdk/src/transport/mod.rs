//! The only module that uses the network.

pub(crate) mod base_url;
pub(crate) mod default_headers;
pub(crate) mod proxy;
pub(crate) mod raw_response;
mod request_body;
pub(crate) mod tls;

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{self, HeaderMap, HeaderValue};

use base_url::BaseUrl;
use proxy::Proxy;
use raw_response::RawResponse;
use request_body::{RequestBody, SendGuard};
use tls::{Tls, root_cause, setup_error};

use crate::error::one_line::one_line;
use crate::{Error, ErrorKind, Method, Request};

/// The maximum memory that is reserved because of a `Content-Length`, before the body arrives.
const MAX_RESERVED_BYTES: usize = 1024 * 1024;

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
            // Ignore the proxy environment variables.
            .no_proxy();
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

    /// Sends a request once and reads the response, whatever its status code.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        timeout: Duration,
    ) -> Result<RawResponse, Error> {
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
        let (body, is_truncated) = if response.status().is_success() {
            (self.read_body(&mut response, timeout).await?, false)
        } else {
            read_body_start(&mut response).await
        };
        Ok(RawResponse {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
            is_truncated,
        })
    }

    /// Reads a body up to the maximum size, which applies after decompression.
    async fn read_body(
        &self,
        response: &mut reqwest::Response,
        timeout: Duration,
    ) -> Result<Bytes, Error> {
        let content_length = response.content_length().unwrap_or_default();
        // Most responses arrive in one chunk, which need not be copied.
        let (mut first, mut body) = (Bytes::new(), BytesMut::new());
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| transport_error(error, timeout))?
        {
            if first.len().max(body.len()) + chunk.len() > self.max_response_bytes {
                return Err(self.too_large());
            }
            if first.is_empty() {
                first = chunk;
                continue;
            }
            if body.is_empty() {
                let content_length = usize::try_from(content_length).unwrap_or(usize::MAX);
                body.reserve(content_length.min(MAX_RESERVED_BYTES).max(first.len()));
                body.extend_from_slice(&first);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(if body.is_empty() {
            first
        } else {
            body.freeze()
        })
    }

    fn too_large(&self) -> Error {
        let reason = format!(
            "the response is larger than the maximum of {} bytes",
            self.max_response_bytes
        );
        Error::new(ErrorKind::TooLarge, reason)
    }
}

/// Reads the start of the body of an error response. Returns `true` if there is more. Failures are
/// ignored, because the status code is more important.
async fn read_body_start(response: &mut reqwest::Response) -> (Bytes, bool) {
    let mut body = BytesMut::new();
    let is_truncated = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break false,
            Err(_) => break true,
        }
        if body.len() > Error::MAX_BODY_BYTES {
            body.truncate(Error::MAX_BODY_BYTES);
            break true;
        }
    };
    (body.freeze(), is_truncated)
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
