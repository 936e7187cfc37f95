//! A delivery, and how it is sent: without retries, alone or in a sequence.

use std::time::Instant;

use bytes::Bytes;
use profile_sdk::internal::tls_advice;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Proxy, Url, header, redirect, retry};
use rustls::crypto::ring;
use serde_json::json;
use webhook_verify::{DigestEncoding, EVENT_HEADER, SIGNATURE_HEADER, Secret, sign_as};

use super::attempt::{Attempt, explain, failure, root_cause};
use crate::outcome::{Failure, FailureKind, Report, Result, View, cell};
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

/// Sends the deliveries in order and prints each outcome. Fails unless all status codes are 2xx.
pub(super) fn send_all<'d>(
    deliveries: impl ExactSizeIterator<Item = (&'d str, &'d Delivery)>,
    url: &SafeUrl,
    session: &Session<'_>,
) -> Result<()> {
    let sender = Sender::new(url, session)?;
    let output = session.output;
    let mut progress = session.progress("sending", deliveries.len());
    let mut attempts = Vec::new();
    for (name, delivery) in deliveries {
        let attempt = {
            let _deferred = interruption::defer();
            sender.send(delivery, session)?
        };
        let printed =
            progress.above(|| output.stream(&attempt_report(name, delivery, &attempt)))?;
        if printed.is_break() {
            return Ok(());
        }
        attempts.push(attempt);
        progress.advance();
    }
    failure(&attempts).map_or(Ok(()), Err)
}

fn attempt_report(name: &str, delivery: &Delivery, attempt: &Attempt) -> Report {
    let milliseconds = attempt.duration.as_millis() as u64;
    let kind = delivery.kind();
    let response = attempt.response.as_ref();
    let (status, error) = (response.ok(), response.err());
    let mut json = json!({
        "event": kind,
        "status": status,
        "error": error,
        "milliseconds": milliseconds,
        "bytes": delivery.body.len(),
    });
    if !name.is_empty() {
        json["file"] = json!(name);
    }
    let fields = |duration: String| {
        let fields = [
            ("event", kind.clone()),
            ("status", cell(status)),
            ("milliseconds", duration),
            ("file", name.to_owned()),
            ("error", cell(error)),
        ];
        View::fields(fields)
    };
    let people = fields(format!("{milliseconds} ms"));
    Report::new(json, fields(milliseconds.to_string())).for_people(people)
}
