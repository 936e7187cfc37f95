//! A delivery, and how it is sent: without retries, alone or in a sequence.

use std::error::Error as _;
use std::iter::successors;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Proxy, Url, header, redirect, retry};
use rustls::crypto::ring;
use serde_json::json;
use url::{Host, Position};
use webhook_verify::{DigestEncoding, EVENT_HEADER, SIGNATURE_HEADER, Secret, sign_as};

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, cell};
use crate::session::{Session, proxy};
use crate::settings::DEFAULT_TIMEOUT;
use crate::terminal::progress::Progress;

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

/// The maximum number of bytes to read of a response body. Only the status code is used, but the
/// receiver would log an error if the connection closed while it is still writing.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Parses the URL of a receiver.
pub(super) fn destination(text: &str) -> Result<Url, String> {
    let expected = "expected a URL like http://127.0.0.1:8080/hooks";
    let url = Url::parse(text).map_err(|error| format!("{error}; {expected}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("unsupported scheme {other}; {expected}")),
    }
}

/// Returns `true` if the URL names a loopback address.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Returns the URL without user name, password, query and fragment, which may be secret.
pub(super) fn redacted(url: &Url) -> String {
    let host_and_path = &url[Position::BeforeHost..Position::AfterPath];
    format!("{}{host_and_path}", &url[..Position::BeforeUsername])
}

/// A client for one receiver.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    http: Client,
    url: Url,
}

/// An attempt to send a delivery.
pub(super) struct Attempt {
    /// The status code of the response, or the reason for its absence.
    pub(super) response: Result<u16, String>,
    /// The URL in the response to which it redirects, without parts that may be secret.
    location: Option<String>,
    pub(super) duration: Duration,
}

impl Sender {
    pub(super) fn new(url: &Url, session: &Session<'_>) -> Result<Self, Failure> {
        // reqwest uses the provider of the process. Fails if one is installed already.
        let _ = ring::default_provider().install_default();
        let mut builder = Client::builder()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            // Some receivers close each connection without announcing it.
            .pool_max_idle_per_host(0)
            .timeout(session.settings.timeout.unwrap_or(DEFAULT_TIMEOUT));
        if url.scheme() == "http" {
            // Loading the root certificates of the platform is slow.
            builder = builder.tls_certs_only([]);
        }
        // Receivers on this machine need no proxy.
        let proxy = match is_loopback(url) {
            true => None,
            false => proxy(url.as_str(), &session.settings)?,
        };
        builder = match proxy.map(Proxy::all).transpose() {
            Ok(Some(proxy)) => builder.proxy(proxy),
            Ok(None) => builder.no_proxy(),
            Err(_) => return Err(Failure::usage("the proxy is not a valid URL")),
        };
        let http = builder.build().map_err(|error| {
            let message = format!("cannot set up TLS: {}", root_cause(&error));
            Failure::new(FailureKind::Other, message)
        })?;
        let url = url.clone();
        Ok(Self { http, url })
    }

    pub(super) async fn post(&self, delivery: &Delivery) -> Attempt {
        let started = Instant::now();
        let mut headers = delivery.headers.clone();
        let ours = HeaderValue::from_static(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
        headers.entry(USER_AGENT).or_insert(ours);
        if !self.url.username().is_empty() || self.url.password().is_some() {
            // The client adds the credentials of the URL.
            headers.remove(header::AUTHORIZATION);
        }
        let sending = self.http.post(self.url.clone()).headers(headers);
        let sent = sending.body(delivery.body.clone()).send().await;
        let mut location = None;
        let response = match sent {
            Ok(response) => {
                let status = response.status().as_u16();
                let to = response.headers().get(header::LOCATION);
                let to = to.and_then(|to| self.url.join(to.to_str().ok()?).ok());
                location = to.as_ref().map(redacted);
                drain(response).await;
                Ok(status)
            }
            Err(error) => Err(error_reason(&error.without_url(), &self.url)),
        };
        Attempt {
            response,
            location,
            duration: started.elapsed(),
        }
    }
}

impl Attempt {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }

    /// Returns advice for a status code that does not come from the verification.
    pub(super) fn advice(&self) -> Option<String> {
        let advice = match self.response.as_ref().ok()? {
            300..=399 => {
                let to = self.location.as_deref().unwrap_or("another URL");
                return Some(format!(
                    "the receiver redirects to {to}, and redirects are not followed; use that URL \
                     if it is the receiver's"
                ));
            }
            404 | 410 => "the receiver does not know the path; check the path of the URL",
            405 => "the path does not accept POST; check the path of the URL",
            413 => "a limit on the size of bodies answered; raise it to at least 1 MiB",
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

    /// Describes the result for people.
    pub(super) fn as_text(&self) -> String {
        let milliseconds = self.duration.as_millis();
        match &self.response {
            Ok(status) => format!("{status} in {milliseconds} ms"),
            Err(reason) => format!("{reason} after {milliseconds} ms"),
        }
    }
}

async fn drain(mut response: reqwest::Response) {
    let mut read = 0;
    while read <= MAX_RESPONSE_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        read += chunk.len();
    }
}

/// Returns the message of the root cause, which is the most specific.
fn root_cause(error: &reqwest::Error) -> String {
    let causes = successors(error.source(), |error| (*error).source());
    let root = causes.last();
    root.map_or_else(|| error.to_string(), ToString::to_string)
}

fn error_reason(error: &reqwest::Error, url: &Url) -> String {
    let cause = root_cause(error);
    // The names of problems are those of rustls.
    match cause.strip_prefix("invalid peer certificate: ") {
        _ if error.is_timeout() => "timed out".to_owned(),
        Some(reason) if reason.contains("CaUsedAsEndEntity") => {
            let name = match url.host() {
                Some(Host::Domain(name)) => format!("DNS:{name}"),
                Some(Host::Ipv4(address)) => format!("IP:{address}"),
                Some(Host::Ipv6(address)) => format!("IP:{address}"),
                None => String::new(),
            };
            format!(
                "the receiver's certificate is not trusted, because it is its own authority; create one \
                 that is not with `openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out \
                 cert.pem -subj /CN=localhost -addext basicConstraints=critical,CA:FALSE -addext \
                 subjectAltName={name}`, and set SSL_CERT_FILE to cert.pem"
            )
        }
        Some(reason) if reason.contains("UnknownIssuer") => "the receiver's certificate is not \
             trusted; set SSL_CERT_FILE to a file with it or its authority"
            .to_owned(),
        Some(reason) => {
            let reason = reason.replace("DnsName(\"", "\"").replace("\")", "\"");
            format!("the receiver's certificate is invalid: {reason}")
        }
        None if error.is_connect() && cause.contains("InvalidContentType") => {
            "cannot connect: the receiver does not support HTTPS on this port".to_owned()
        }
        None if error.is_connect() => format!("cannot connect: {cause}"),
        None => format!("no response: {cause}"),
    }
}

/// Sends the deliveries in order and prints each outcome. Fails unless all status codes are 2xx.
pub(super) fn send_all<'d>(
    deliveries: impl ExactSizeIterator<Item = (&'d str, &'d Delivery)>,
    url: &Url,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let sender = Sender::new(url, session)?;
    let output = session.output;
    let mut progress = Progress::begin("sending", deliveries.len(), output.hides_progress);
    let mut attempts = Vec::new();
    for (name, delivery) in deliveries {
        tracing::info!("POST {} bytes to {}", delivery.body.len(), redacted(url));
        let attempt = session.block_on(sender.post(delivery))?;
        let printed =
            progress.above(|| output.stream(&attempt_report(name, delivery, &attempt)))?;
        if printed.is_break() {
            return Ok(());
        }
        attempts.push(attempt);
        progress.advance();
    }
    drop(progress);
    failure(&attempts, url).map_or(Ok(()), Err)
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

const UNVERIFIED: &str = "the receiver may use another secret, or verify a parsed body instead of the \
     raw bytes; `profile webhook probe` tests it";

/// Returns the failure of deliveries that have no response for this reason.
pub(super) fn no_response(message: String, reason: &str, url: &Url) -> Failure {
    let failure = Failure::new(FailureKind::NoResponse, message);
    match reason.starts_with("cannot connect") {
        true => failure.hint(format!(
            "check that a receiver listens at {}",
            redacted(url)
        )),
        false => failure,
    }
}

/// Returns the failure that summarizes the failed deliveries, if any.
fn failure(attempts: &[Attempt], url: &Url) -> Option<Failure> {
    let failed = attempts.iter().filter(|attempt| !attempt.is_success());
    let failed: Vec<_> = failed.collect();
    let first = match &failed.first()?.response {
        Ok(status) => format!("the receiver returned status {status}, expected 2xx"),
        Err(reason) => reason.clone(),
    };
    let count = failed.len();
    let message = match attempts.len() {
        1 => format!("the delivery failed: {first}"),
        total => format!("{count} of {total} deliveries failed; the first: {first}"),
    };
    if attempts.iter().all(|attempt| attempt.response.is_err()) {
        return Some(no_response(message, &first, url));
    }
    let answered = failed.iter().find(|attempt| attempt.response.is_ok());
    let status = answered.and_then(|attempt| attempt.response.as_ref().ok().copied());
    let advice = match status {
        Some(401 | 403) => Some(UNVERIFIED.to_owned()),
        _ => answered.and_then(|attempt| attempt.advice()),
    };
    Some(Failure {
        status,
        hints: advice.into_iter().collect(),
        ..Failure::new(FailureKind::Other, message)
    })
}
