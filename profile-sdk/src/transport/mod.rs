//! The one place that touches the network.

pub(crate) mod base_url;
pub(crate) mod default_headers;
pub(crate) mod proxy;
pub(crate) mod raw_response;
pub(crate) mod tls;

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{self, HeaderMap, HeaderValue};

use base_url::BaseUrl;
use proxy::Proxy;
use raw_response::RawResponse;
use tls::{Tls, root_cause, set_up_failed};

use crate::{Error, ErrorKind, Method, Request};

/// How much memory an answer gets for the length that it announces, before any of it has come.
const MOST_BYTES_RESERVED: usize = 1024 * 1024;

/// What a transport is made from.
pub(crate) struct Settings {
    pub(crate) base_url: BaseUrl,
    /// What every request carries, the key among it.
    pub(crate) headers: HeaderMap,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) tls: Option<Tls>,
    /// PEM texts of certificates to trust beside the usual ones.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) connect_timeout: Duration,
    /// How long most exchanges may take.
    pub(crate) usual_timeout: Duration,
    pub(crate) max_response_bytes: usize,
}

/// Connections to one service, and what every request to it has in common.
pub(crate) struct Transport {
    http: reqwest::Client,
    base_url: BaseUrl,
    usual_timeout: Duration,
    max_response_bytes: usize,
}

impl Transport {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let mut http = reqwest::Client::builder()
            .default_headers(settings.headers)
            .connect_timeout(settings.connect_timeout)
            .timeout(settings.usual_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            // The environment's proxies are not this library's to read.
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
        .map_err(|error| set_up_failed("the HTTP client could not be made", error))?;
        Ok(Self {
            http,
            base_url: settings.base_url,
            usual_timeout: settings.usual_timeout,
            max_response_bytes: settings.max_response_bytes,
        })
    }

    pub(crate) fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// Sends a request once and reads its answer, whatever its status.
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
        let mut sending = self.http.request(method, url);
        // The HTTP client's own time-out costs less than one of the request.
        if timeout != self.usual_timeout {
            sending = sending.timeout(timeout);
        }
        for (name, value) in request.headers() {
            sending = sending.header(name, value);
        }
        if let Some(body) = request.body_bytes() {
            sending = sending
                .header(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                )
                .body(body);
        }
        let mut answer = sending.send().await.map_err(|error| lost(error, timeout))?;
        let (body, is_cut) = if answer.status().is_success() {
            (self.read_whole(&mut answer, timeout).await?, false)
        } else {
            read_start(&mut answer).await
        };
        Ok(RawResponse {
            status: answer.status().as_u16(),
            headers: std::mem::take(answer.headers_mut()),
            body,
            is_cut,
        })
    }

    /// Reads a body up to the client's cap, which holds for what it is after decompression.
    async fn read_whole(
        &self,
        answer: &mut reqwest::Response,
        timeout: Duration,
    ) -> Result<Bytes, Error> {
        let announced = answer.content_length().unwrap_or_default();
        // Most answers come in one piece, which need not be copied.
        let (mut first, mut body) = (Bytes::new(), BytesMut::new());
        while let Some(chunk) = answer.chunk().await.map_err(|error| lost(error, timeout))? {
            if first.len().max(body.len()) + chunk.len() > self.max_response_bytes {
                return Err(self.too_large());
            }
            if first.is_empty() {
                first = chunk;
                continue;
            }
            if body.is_empty() {
                let announced = usize::try_from(announced).unwrap_or(usize::MAX);
                body.reserve(announced.min(MOST_BYTES_RESERVED).max(first.len()));
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
            "the answer is larger than {} bytes, the most that this client takes",
            self.max_response_bytes
        );
        Error::new(ErrorKind::TooLarge, reason)
    }
}

/// Reads the start of a refusal's body, and tells whether there is more. What cannot be read of it is
/// not missed: the status says what matters.
async fn read_start(answer: &mut reqwest::Response) -> (Bytes, bool) {
    let mut body = BytesMut::new();
    let is_cut = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break false,
            Err(_) => break true,
        }
        if body.len() > Error::MAX_BODY_BYTES {
            body.truncate(Error::MAX_BODY_BYTES);
            break true;
        }
    };
    (body.freeze(), is_cut)
}

/// Tells why no complete answer came, and whether the request can have arrived.
fn lost(error: reqwest::Error, timeout: Duration) -> Error {
    let error = error.without_url();
    let cause = root_cause(&error);
    let (kind, reason) = if error.is_builder() {
        let reason = format!("the request could not be made, so nothing was sent: {cause}");
        (ErrorKind::Invalid, reason)
    } else if error.is_connect() {
        let advice = tls::advice(&cause);
        let reason = format!("no connection could be made, so nothing was sent: {cause}{advice}");
        (ErrorKind::Connection, reason)
    } else if error.is_timeout() {
        let seconds = (timeout.as_secs_f64() * 100.0).round() / 100.0;
        let reason = format!("no complete answer came within {seconds} seconds");
        (ErrorKind::Timeout, reason)
    } else {
        let reason = format!("the connection broke before a complete answer had come: {cause}");
        (ErrorKind::Interrupted, reason)
    };
    Error::new(kind, reason).caused_by(error)
}
