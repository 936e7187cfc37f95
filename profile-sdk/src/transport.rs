//! The one place that touches the network.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{self, HeaderMap, HeaderValue};

use crate::base_url::BaseUrl;
use crate::response::RawResponse;
use crate::tls::{self, Tls, set_up_failed};
use crate::{Error, ErrorKind, Method, Request};

/// How much memory an answer gets for the length that it announces, before any of it has come.
const MOST_BYTES_RESERVED: usize = 1024 * 1024;

/// What a transport is made from.
pub(crate) struct Settings {
    pub(crate) base_url: BaseUrl,
    /// What every request carries, the key among it.
    pub(crate) headers: HeaderMap,
    pub(crate) tls: Option<Tls>,
    pub(crate) connect_timeout: Duration,
    pub(crate) max_answer_bytes: usize,
}

/// Connections to one service, and what every request to it has in common.
pub(crate) struct Transport {
    http: reqwest::Client,
    base_url: BaseUrl,
    max_answer_bytes: usize,
}

impl Transport {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let http = reqwest::Client::builder()
            .default_headers(settings.headers)
            .connect_timeout(settings.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            // The environment's proxies are not this library's to read.
            .no_proxy();
        let http = tls::prepare(http, settings.tls, settings.base_url.is_https())?
            .build()
            .map_err(|error| set_up_failed("the HTTP client could not be made", error))?;
        Ok(Self {
            http,
            base_url: settings.base_url,
            max_answer_bytes: settings.max_answer_bytes,
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
        let mut sending = self.http.request(method, url).timeout(timeout);
        if let Some(body) = request.body_bytes() {
            sending = sending
                .header(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                )
                .body(body);
        }
        let mut answer = sending.send().await.map_err(|error| lost(error, timeout))?;
        let status = answer.status().as_u16();
        let headers = std::mem::take(answer.headers_mut());
        let body = if answer.status().is_success() {
            self.read_whole(&mut answer, timeout).await?
        } else {
            read_start(&mut answer).await
        };
        Ok(RawResponse {
            status,
            headers,
            body,
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
        let Some(first) = self.chunk(answer, 0, timeout).await? else {
            return Ok(Bytes::new());
        };
        let Some(second) = self.chunk(answer, first.len(), timeout).await? else {
            return Ok(first);
        };
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        let mut body = BytesMut::with_capacity(announced.min(MOST_BYTES_RESERVED));
        body.extend_from_slice(&first);
        body.extend_from_slice(&second);
        while let Some(chunk) = self.chunk(answer, body.len(), timeout).await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// The next piece of a body of which so many bytes have come, if the client takes it.
    async fn chunk(
        &self,
        answer: &mut reqwest::Response,
        come: usize,
        timeout: Duration,
    ) -> Result<Option<Bytes>, Error> {
        let chunk = answer.chunk().await.map_err(|error| lost(error, timeout))?;
        if come + chunk.as_ref().map_or(0, Bytes::len) > self.max_answer_bytes {
            let reason = format!(
                "the answer is larger than {} bytes, the most that this client takes",
                self.max_answer_bytes
            );
            return Err(Error::new(ErrorKind::TooLarge, reason));
        }
        Ok(chunk)
    }
}

/// Reads the start of a refusal's body. What cannot be read of it is not missed: the status says
/// what matters.
async fn read_start(answer: &mut reqwest::Response) -> Bytes {
    let mut body = BytesMut::new();
    while body.len() < Error::MAX_BODY_BYTES {
        let Ok(Some(chunk)) = answer.chunk().await else {
            break;
        };
        body.extend_from_slice(&chunk);
    }
    body.truncate(Error::MAX_BODY_BYTES);
    body.freeze()
}

/// Tells why no complete answer came, and whether the request can have arrived.
fn lost(error: reqwest::Error, timeout: Duration) -> Error {
    let error = error.without_url();
    let cause = root_cause(&error);
    let (kind, reason) = if error.is_builder() {
        let reason = format!("the request could not be made, so nothing was sent: {cause}");
        (ErrorKind::Invalid, reason)
    } else if error.is_connect() {
        let reason = format!("no connection could be made, so nothing was sent: {cause}");
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

/// The text of the last cause in the chain, which is the one that says what went wrong.
pub(crate) fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
