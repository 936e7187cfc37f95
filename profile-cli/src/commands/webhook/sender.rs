//! Sends deliveries, without retries.

use std::error::Error as _;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderValue, USER_AGENT};
use reqwest::{Client, Url, redirect, retry};
use rustls::crypto::ring;

use super::delivery::Delivery;
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;
use crate::settings::DEFAULT_TIMEOUT;

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

/// Returns the URL without user name, password, query and fragment, which may be secret.
pub(super) fn redacted(url: &Url) -> String {
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// A client for one receiver.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    http: Client,
    url: Url,
}

/// The outcome of one delivery.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The status code of the response, or the reason for its absence.
    pub(super) response: Result<u16, String>,
    pub(super) duration: Duration,
}

impl Sender {
    pub(super) fn new(url: &Url, session: &Session<'_>) -> Result<Self, Failure> {
        // reqwest uses the provider of the process. Fails if one is installed already.
        let _ = ring::default_provider().install_default();
        let mut builder = Client::builder()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .no_proxy()
            .timeout(session.settings.timeout.unwrap_or(DEFAULT_TIMEOUT));
        if url.scheme() == "http" {
            // Loading the root certificates of the platform is slow.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| {
            let message = format!("cannot set up TLS: {}", root_cause(&error));
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

    /// Describes the outcome for people.
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

fn error_reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    match error.is_connect() {
        true => format!("cannot connect: {}", root_cause(error)),
        false => format!("no response: {}", root_cause(error)),
    }
}

/// Returns the message of the root cause, which is the most specific.
fn root_cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}
