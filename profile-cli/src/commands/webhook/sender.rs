//! Sends deliveries over the network, once each.

use std::error::Error as _;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderValue, USER_AGENT};
use reqwest::{Client, Url, redirect, retry};

use super::delivery::Delivery;
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;
use crate::settings::DEFAULT_TIMEOUT;

/// How much of an answer is read. Its status is all that counts, but a receiver that is still
/// writing when the connection closes would take that for a failure of its own.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Reads where deliveries are to go.
pub(super) fn destination(text: &str) -> Result<Url, String> {
    let expected = "expected a URL like http://127.0.0.1:8080/hooks";
    let url = Url::parse(text).map_err(|error| format!("{error}; {expected}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("unsupported scheme {other}; {expected}")),
    }
}

/// The URL without what may be secret in it.
pub(super) fn redacted(url: &Url) -> String {
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// Connections to one receiver.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    http: Client,
    url: Url,
}

/// What came of one delivery.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The status of the answer, or why none came.
    pub(super) response: Result<u16, String>,
    pub(super) duration: Duration,
}

impl Sender {
    pub(super) fn new(url: &Url, session: &Session<'_>) -> Result<Self, Failure> {
        let builder = Client::builder()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .no_proxy()
            .no_gzip()
            .timeout(session.settings.timeout.unwrap_or(DEFAULT_TIMEOUT));
        let builder = match url.scheme() {
            "https" => {
                // Another part of the program may have set the same one.
                let _ = rustls::crypto::ring::default_provider().install_default();
                builder
            }
            // The platform's root certificates take a while to read.
            _ => builder.tls_backend_preconfigured(without_roots()?),
        };
        let http = builder.build().map_err(|error| {
            let message = format!("cannot send: {}", root_cause(&error));
            Failure::new(FailureKind::Other, message)
        })?;
        let url = url.clone();
        Ok(Self { http, url })
    }

    pub(super) async fn post(&self, delivery: &Delivery) -> Outcome {
        let started = Instant::now();
        let mut headers = delivery.headers.clone();
        let ours = HeaderValue::from_static(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
        headers.entry(USER_AGENT).or_insert(ours);
        let sending = self.http.post(self.url.clone()).headers(headers);
        let sent = sending.body(delivery.body.clone()).send().await;
        let response = match sent {
            Ok(response) => {
                let status = response.status().as_u16();
                drain(response).await;
                Ok(status)
            }
            Err(error) => Err(error_reason(&error.without_url())),
        };
        Outcome {
            response,
            duration: started.elapsed(),
        }
    }
}

impl Outcome {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }

    /// What came back, in words.
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

fn without_roots() -> Result<rustls::ClientConfig, Failure> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions
        .map_err(|error| Failure::new(FailureKind::Other, format!("cannot set up TLS: {error}")))?;
    Ok(config
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}

fn error_reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    match error.is_connect() {
        true => format!("cannot connect: {}", root_cause(error)),
        false => format!("no response: {}", root_cause(error)),
    }
}

/// The text of the last cause in the chain, which is the one that says what went wrong.
fn root_cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}
