//! A delivery, and the attempt to send it: without retries. Also the meaning of the response, and advice about a failure.

use std::error::Error as _;
use std::iter::successors;
use std::time::{Duration, Instant};

use bytes::Bytes;
use profile_sdk::internal::tls_advice;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Proxy, Url, header, redirect, retry};
use rustls::crypto::ring;
use webhook_verify::{DigestEncoding, EVENT_HEADER, SIGNATURE_HEADER, Secret, sign_as};

use crate::outcome::{Failure, FailureKind, NextCommand, Result};
use crate::session::{Session, connect_timeout, proxy};
use crate::settings::{DEFAULT_TIMEOUT, complete_url};
use crate::system::interruption;
use crate::terminal::SafeUrl;

pub(super) const SIGNATURE: HeaderName = HeaderName::from_static(SIGNATURE_HEADER);

pub(super) const EVENT: HeaderName = HeaderName::from_static(EVENT_HEADER);

/// Headers of a connection, and headers that the HTTP client sets.
const CONNECTION_HEADERS: [HeaderName; 12] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// A delivery without the headers of the connection.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Delivery {
    /// Creates a delivery as the service sends it.
    pub(super) fn new(kind: HeaderValue, body: impl Into<Bytes>) -> Self {
        let json = HeaderValue::from_static("application/json");
        Self {
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, json), (EVENT, kind)]),
            body: body.into(),
        }
    }

    /// Creates a delivery from a received one.
    pub(super) fn forwarded(headers: &HeaderMap, body: Bytes) -> Self {
        let connection = headers.get_all(header::CONNECTION).iter();
        let named = connection.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        let named = named.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok());
        let named = named.filter(|name| ![EVENT, SIGNATURE].contains(name));
        let mut headers = headers.clone();
        for name in CONNECTION_HEADERS.into_iter().chain(named) {
            headers.remove(name);
        }
        Self { headers, body }
    }

    /// Replaces the signature.
    pub(super) fn signed(mut self, secret: &Secret, encoding: DigestEncoding) -> Self {
        let signature = sign_as(encoding, secret, &self.body);
        let value = HeaderValue::try_from(signature).expect("a signature is visible ASCII");
        self.headers.insert(SIGNATURE, value);
        self
    }

    /// Returns the kind in the header.
    pub(super) fn kind(&self) -> String {
        let kind = self.headers.get(EVENT).map(HeaderValue::as_bytes);
        String::from_utf8_lossy(kind.unwrap_or_default()).into_owned()
    }
}

/// The maximum number of bytes to read of a response body. It is only logged, but the receiver would log an
/// error if the connection closed while it is still writing.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Parses the URL of a receiver.
pub(super) fn destination(text: &str) -> Result<SafeUrl, String> {
    let expected = "expected a URL like http://127.0.0.1:8080/hooks";
    let text = complete_url(text.to_owned());
    let url = Url::parse(&text).map_err(|error| format!("{error}; {expected}"))?;
    match url.scheme() {
        "http" | "https" => Ok(SafeUrl::new(text)),
        other => Err(format!("unsupported scheme {other}; {expected}")),
    }
}

/// A client for one receiver.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    http: Client,
    url: SafeUrl,
    proxy: Option<SafeUrl>,
}

impl Sender {
    pub(super) fn new(url: &SafeUrl, session: &Session<'_>) -> Result<Self> {
        // reqwest uses the provider of the process. Fails if one is installed already.
        let _ = ring::default_provider().install_default();
        let timeout = session.settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
        let mut builder = Client::builder()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            // Some receivers close each connection without announcing it.
            .pool_max_idle_per_host(0)
            .connect_timeout(connect_timeout(timeout))
            .timeout(timeout);
        if url.parsed().is_some_and(|url| url.scheme() == "http") {
            // Loading the root certificates of the platform is slow.
            builder = builder.tls_certs_only([]);
        }
        // Receivers on this machine need no proxy.
        let proxy = match url.is_loopback() {
            true => None,
            false => proxy(url, &session.settings)?,
        };
        let used = proxy.as_ref().map(|proxy| Proxy::all(proxy.expose()));
        builder = match used.transpose() {
            Ok(Some(proxy)) => builder.proxy(proxy),
            Ok(None) => builder.no_proxy(),
            Err(_) => return Err(Failure::usage("the proxy is not a valid URL")),
        };
        let http = builder.build().map_err(|error| {
            let message = format!("cannot set up TLS: {}", root_cause(&error));
            Failure::other(message).optional_hint(tls_advice(&error, "receiver"))
        })?;
        Ok(Self {
            http,
            url: url.clone(),
            proxy,
        })
    }

    /// Sends a delivery, and fails if a signal interrupts it; needs a [`Deferral`](interruption::Deferral).
    pub(super) fn send(&self, delivery: &Delivery, session: &Session<'_>) -> Result<Attempt> {
        interruption::check()?;
        let sent = session.block_on(async {
            tokio::select! {
                biased;
                attempt = self.post(delivery) => Some(attempt),
                _ = interruption::next() => None,
            }
        })?;
        sent.ok_or_else(|| {
            let message = "interrupted while a delivery was being sent; it may have been received";
            Failure::new(FailureKind::Interrupted, message)
        })
    }

    pub(super) async fn post(&self, delivery: &Delivery) -> Attempt {
        let started = Instant::now();
        tracing::info!("> POST {}, {} bytes", self.url, delivery.body.len());
        let mut headers = delivery.headers.clone();
        let ours = HeaderValue::from_static(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
        headers.entry(USER_AGENT).or_insert(ours);
        let has_user = |url: &Url| !url.username().is_empty() || url.password().is_some();
        if self.url.parsed().is_some_and(has_user) {
            // The client adds the credentials of the URL.
            headers.remove(header::AUTHORIZATION);
        }
        for (name, value) in headers.iter().filter(|it| *it.0 != header::AUTHORIZATION) {
            tracing::debug!("> {name}: {value:?}");
        }
        tracing::trace!("> {}", String::from_utf8_lossy(&delivery.body));
        let sending = self.http.post(self.url.expose()).headers(headers);
        let sent = sending.body(delivery.body.clone()).send().await;
        let (mut location, mut hint, mut wants_login) = (None, None, false);
        let response = match sent {
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::info!("< {status}");
                let to = response.headers().get(header::LOCATION);
                let to = to.and_then(|to| self.url.parsed()?.join(to.to_str().ok()?).ok());
                location = to.map(SafeUrl::new);
                wants_login = response.headers().contains_key(header::WWW_AUTHENTICATE);
                for (name, value) in response.headers() {
                    // Not its `Debug` output, whose escapes would hide an echoed secret from the redaction.
                    let value = String::from_utf8_lossy(value.as_bytes());
                    tracing::debug!("< {name}: {value}");
                }
                let body = read(response).await;
                if !body.is_empty() {
                    tracing::trace!("< {}", String::from_utf8_lossy(&body));
                }
                Ok(status)
            }
            Err(error) => {
                let reason;
                (reason, hint) = explain(&error.without_url(), &self.url, self.proxy.as_ref());
                Err(reason)
            }
        };
        Attempt {
            response,
            hint,
            location,
            wants_login,
            duration: started.elapsed(),
        }
    }
}

async fn read(mut response: reqwest::Response) -> Vec<u8> {
    let mut read = Vec::new();
    while read.len() <= MAX_RESPONSE_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        read.extend_from_slice(&chunk);
    }
    read
}

pub(super) const SECRET_HINT: &str = "the receiver must use the same secret and encoding";

/// Hint for a receiver that rejects a delivery.
const UNVERIFIED: &str = "the receiver may use another secret, or verify a parsed body instead of the raw \
                          bytes; `profile webhook probe` tests it";

/// The size of the largest genuine delivery of `probe`.
pub(super) const LARGE_BYTES: usize = 1_000_000;

/// An attempt to send a delivery.
pub(super) struct Attempt {
    /// The status code of the response, or the reason for its absence.
    pub(super) response: Result<u16, String>,
    /// Advice about a missing response.
    pub(super) hint: Option<String>,
    /// The URL in the response to which it redirects.
    pub(super) location: Option<SafeUrl>,
    /// The response has the header `WWW-Authenticate`.
    pub(super) wants_login: bool,
    pub(super) duration: Duration,
}

impl Attempt {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }

    /// Returns the failure of deliveries without a response.
    pub(super) fn no_response(&self, message: String) -> Failure {
        Failure::new(FailureKind::NoResponse, message).optional_hint(self.hint.clone())
    }

    /// Returns advice for a status code that does not come from the verification.
    pub(super) fn advice(&self) -> Option<String> {
        let advice = match self.response.as_ref().ok()? {
            300..=399 => {
                let to = self.location.as_ref().map(SafeUrl::to_string);
                let to = to.as_deref().unwrap_or("another URL");
                return Some(format!(
                    "the receiver redirects to {to}, and redirects are not followed; use that URL \
                     if it is the receiver's"
                ));
            }
            401 | 403 => return self.with_other_cause(SECRET_HINT),
            404 | 410 => "the receiver does not know the path; check the path of the URL",
            405 => "the path does not accept POST; check the path of the URL",
            413 => {
                return Some(format!(
                    "a limit on the size of bodies answered; raise it to at least {LARGE_BYTES} bytes"
                ));
            }
            406 | 415 => "the receiver rejects the content type; it must accept every one",
            419 | 422 => {
                "CSRF protection or a validation answered instead of the verification; exclude the \
                 path from it"
            }
            408 | 429 => "a limit of the receiver or of a proxy answered; try again later",
            500..=599 => {
                "the receiver, or a proxy before it, failed; its log may contain the reason"
            }
            _ => return None,
        };
        Some(advice.to_owned())
    }

    /// Returns advice about a failed delivery that was signed with the secret.
    pub(super) fn failure_advice(&self) -> Option<String> {
        match self.response {
            Ok(400 | 401 | 403) => {
                let advice = self.with_other_cause(UNVERIFIED);
                advice.or_else(|| Some(UNVERIFIED.to_owned()))
            }
            _ => self.advice().or_else(|| self.hint.clone()),
        }
    }

    /// Adds the cause of a 401 or 403 that does not come from the verification, if there may be one.
    fn with_other_cause(&self, hint: &str) -> Option<String> {
        let cause = match self.response {
            Ok(401) if self.wants_login => "authentication in front of the receiver",
            Ok(403) => "CSRF protection",
            _ => return None,
        };
        Some(format!(
            "{hint}; or {cause} answered, which must exclude the path"
        ))
    }

    /// Describes the result for people.
    pub(super) fn as_text(&self) -> String {
        let milliseconds = self.duration.as_millis();
        match &self.response {
            Ok(status) => format!("{status} in {milliseconds} ms"),
            Err(reason) => format!("{reason} after {milliseconds} ms"),
        }
    }
}

/// Returns the message of the root cause, which is the most specific.
fn root_cause(error: &reqwest::Error) -> String {
    let causes = successors(error.source(), |error| (*error).source());
    causes
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the reason why there is no response, and advice. The proxy is the one that was used.
fn explain(
    error: &reqwest::Error,
    url: &SafeUrl,
    proxy: Option<&SafeUrl>,
) -> (String, Option<String>) {
    if error.is_timeout() && !error.is_connect() {
        return ("timed out".to_owned(), None);
    }
    let failed = match (error.is_connect(), proxy) {
        (true, Some(proxy)) => format!("cannot connect through the proxy {proxy}"),
        (true, None) => "cannot connect".to_owned(),
        (false, _) => "no response".to_owned(),
    };
    let reason = format!("{failed}: {}", root_cause(error));
    // The HTTP client does not export the types of these errors.
    let has_cause = |start| {
        let mut causes = successors(error.source(), |error| (*error).source());
        causes.any(|cause| cause.to_string().starts_with(start))
    };
    let is_tunnel = has_cause("tunnel error: ");
    let is_plain = url.parsed().is_some_and(|url| url.scheme() == "http");
    let peer = match proxy {
        Some(_) if is_tunnel || is_plain => "proxy",
        _ => "receiver",
    };
    let hint = tls_advice(error, peer).or_else(|| match proxy {
        _ if !error.is_connect() => None,
        Some(_) => {
            let list = NextCommand("profile config list");
            Some(format!("check the proxy, which {list} shows"))
        }
        None if has_cause("dns error") => Some(format!("check the name of the host in {url}")),
        None => Some(format!("check that a receiver listens at {url}")),
    });
    (reason, hint)
}
