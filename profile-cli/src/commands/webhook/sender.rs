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
const ANSWER_LIMIT: usize = 64 * 1024;

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
pub(super) fn shown(url: &Url) -> String {
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
    pub(super) answer: Result<u16, String>,
    pub(super) took: Duration,
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
            let message = format!("cannot send: {}", cause(&error));
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
        let answer = match sent {
            Ok(answer) => {
                let status = answer.status().as_u16();
                read_beginning(answer).await;
                Ok(status)
            }
            Err(error) => Err(lost(&error.without_url())),
        };
        Outcome {
            answer,
            took: started.elapsed(),
        }
    }
}

impl Outcome {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.answer, Ok(200..=299))
    }

    /// What came back, in words.
    pub(super) fn as_text(&self) -> String {
        let milliseconds = self.took.as_millis();
        match &self.answer {
            Ok(status) => format!("{status} in {milliseconds} ms"),
            Err(reason) => format!("{reason} after {milliseconds} ms"),
        }
    }
}

async fn read_beginning(mut answer: reqwest::Response) {
    let mut read = 0;
    while read <= ANSWER_LIMIT
        && let Ok(Some(chunk)) = answer.chunk().await
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

fn lost(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    match error.is_connect() {
        true => format!("cannot connect: {}", cause(error)),
        false => format!("no response: {}", cause(error)),
    }
}

/// The text of the last cause in the chain, which is the one that says what went wrong.
fn cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}
