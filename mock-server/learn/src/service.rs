//! The client: one request at a time, within a budget.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, IsTerminal, Read, Write};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue,
};
use reqwest::{Client, Method, Url, redirect};
use serde_json::Value;
use tokio::sync::watch;

use crate::requests::{Access, Request};
use crate::response::{Answer, Key, WRONG_KEY};
use crate::warn;

/// Maximum number of requests.
const MAX_REQUESTS: u32 = 80;

/// The requests that only cleaning up may use.
const RESERVED_REQUESTS: u32 = 16;

/// Values of rate limit headers from here on are Unix times, and smaller ones are seconds.
pub(crate) const MIN_UNIX_TIME: u64 = 1_000_000_000;

const UNREADABLE_ROOTS: &str =
    "cannot load the root certificates; check SSL_CERT_FILE and SSL_CERT_DIR";

const INTERRUPTED: &str = "the command was interrupted";

/// Maximum number of attempts of a request that the rate limit rejects.
const MAX_ATTEMPTS: u32 = 3;

/// Number of consecutive requests without a response after which no more are sent.
const MAX_FAILURES: usize = 4;

/// Maximum size of a response body.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// The window of a rate limit that the service does not show.
const DEFAULT_WINDOW: Duration = Duration::from_secs(60);

/// Maximum time to wait for a rate limit, in total.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// The service to learn from.
pub(crate) struct Service {
    client: Client,
    base_url: String,
    key: Key,
    pub(crate) sent: u32,
    budget: u32,
    waited: Duration,
    /// Ends the work before cleaning up.
    interrupted: watch::Receiver<bool>,
    /// The limit and the window that `GET /me` shows.
    stated_limit: Option<(u32, Duration)>,
    /// The endpoints of the last requests, which had no response.
    failures: Vec<String>,
    /// The endpoints that failed to respond twice in a row, and the reasons.
    silent: BTreeMap<String, String>,
    /// The reason for sending no more requests before cleaning up, except for an interruption.
    pub(crate) stopped: Option<String>,
    /// The first response with 429.
    pub(crate) rate_limited: Option<Answer>,
}

impl Service {
    /// Creates a client. When `interrupted` becomes `true`, no more requests are sent before cleaning
    /// up.
    pub(crate) fn new(
        base_url: &Url,
        key: Key,
        timeout: Duration,
        interrupted: watch::Receiver<bool>,
    ) -> Result<Self, String> {
        // Fails if a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .timeout(timeout)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("mock-server/", env!("CARGO_PKG_VERSION")));
        if base_url.scheme() == "http" {
            // A proxy would get the key in plain text. Loading the root certificates of the platform is slow.
            client = client.no_proxy().tls_certs_only([]);
        }
        Ok(Self {
            client: client.build().map_err(|_| UNREADABLE_ROOTS)?,
            base_url: base_url.as_str().trim_end_matches('/').to_owned(),
            key,
            sent: 0,
            budget: MAX_REQUESTS - RESERVED_REQUESTS,
            waited: Duration::ZERO,
            interrupted,
            stated_limit: None,
            failures: Vec::new(),
            silent: BTreeMap::new(),
            stopped: None,
            rate_limited: None,
        })
    }

    /// Allows the requests that are reserved for cleaning up, even after an interruption.
    pub(crate) fn start_cleaning(&mut self) {
        self.budget = MAX_REQUESTS;
        self.waited = Duration::ZERO;
        self.failures.clear();
        self.silent.clear();
        self.stopped = None;
        self.interrupted = watch::channel(false).1;
    }

    /// Sends a request. A GET without a response, or with a status of 5xx, is sent once more. After a
    /// response with 429 or `Retry-After`, waits and sends the request again, except for a POST and for a
    /// wrong key. Returns the reason if there is no response.
    pub(crate) async fn send(&mut self, request: &Request) -> Result<Answer, String> {
        // A creation may have been applied, and wrong keys may block the client.
        let is_repeatable = request.method != Method::POST && request.access != Access::WrongKey;
        for attempt in 1.. {
            let is_first_get = request.method == Method::GET && attempt == 1;
            let answer = match self.send_once(request).await {
                Err(_) if is_first_get => continue,
                answer => answer?,
            };
            if answer.status == 429 {
                self.rate_limited.get_or_insert_with(|| answer.clone());
            }
            match requested_delay(&answer) {
                Some(delay) if is_repeatable && attempt < MAX_ATTEMPTS => self.wait(delay).await?,
                None if is_first_get && answer.status >= 500 => {}
                delay => {
                    // After an error, the next request meets the same condition and reports it.
                    let _ = match delay {
                        Some(delay) => self.wait(delay).await,
                        None => self.wait_for_quota(&answer).await,
                    };
                    return Ok(answer);
                }
            }
        }
        unreachable!("the loop has no end")
    }

    /// Returns the reason why no request can be sent.
    pub(crate) fn require_ready(&self) -> Result<(), String> {
        if self.sent == self.budget {
            return Err(format!("the limit of {MAX_REQUESTS} requests is reached"));
        }
        if *self.interrupted.borrow() {
            return Err(INTERRUPTED.to_owned());
        }
        self.stopped.clone().map_or(Ok(()), Err)
    }

    async fn send_once(&mut self, request: &Request) -> Result<Answer, String> {
        self.require_ready()?;
        let endpoint = request.endpoint();
        let has_key = request.access == Access::Key;
        if let Some(reason) = self.silent.get(&endpoint).filter(|_| has_key) {
            return Err(reason.clone());
        }
        self.sent += 1;
        let sent = self.sent;
        let line = format!("request {sent} of at most {MAX_REQUESTS}: {request}");
        progress(&line);
        let answer = self.exchange(request).await;
        progress("");
        let answer = answer.map_err(|reason| self.key.redact(&format!("{request}: {reason}")));
        let Err(reason) = &answer else {
            self.failures.clear();
            return answer;
        };
        let is_other = self.failures.iter().any(|failed| *failed != endpoint);
        if has_key && self.failures.last() == Some(&endpoint) {
            warn(&format!("{reason}; {endpoint} is not requested again"));
            self.silent.insert(endpoint.clone(), reason.clone());
        }
        self.failures.push(endpoint);
        let count = self.failures.len();
        if count >= MAX_FAILURES && is_other {
            let reason = format!("{count} requests in a row had no response; {reason}");
            self.stopped = Some(reason);
        }
        answer
    }

    async fn exchange(&self, request: &Request) -> Result<Answer, String> {
        let url = format!("{}/api/v1{}", self.base_url, request.path);
        let builder = self.client.request(request.method.clone(), url);
        let mut builder = builder.header(ACCEPT_ENCODING, "gzip");
        builder = match request.access {
            Access::Key => builder.header(AUTHORIZATION, self.key.authorization()),
            Access::WrongKey => builder.header(AUTHORIZATION, format!("Bearer {WRONG_KEY}")),
            Access::NoKey => builder,
        };
        if !request.body.is_empty() {
            builder = builder
                .header(CONTENT_TYPE, request.content_type)
                .body(request.body.clone());
        }
        let failed = |error: reqwest::Error| with_causes(&error.without_url());
        let mut response = builder.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while body.len() <= MAX_BODY_BYTES
            && let Some(chunk) = response.chunk().await.map_err(failed)?
        {
            body.extend_from_slice(&chunk);
        }
        let coding = response.headers().get(CONTENT_ENCODING);
        if coding.is_some_and(|coding| coding.as_bytes().eq_ignore_ascii_case(b"gzip")) {
            let mut decoder = MultiGzDecoder::new(&*body).take(MAX_BODY_BYTES as u64 + 1);
            let mut decompressed = Vec::new();
            let read = decoder.read_to_end(&mut decompressed);
            read.map_err(|error| format!("the response is not valid gzip: {error}"))?;
            body = decompressed;
        }
        if body.len() > MAX_BODY_BYTES {
            return Err(format!("the response has more than {MAX_BODY_BYTES} bytes"));
        }
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), text(value)));
        let status = response.status().as_u16();
        let answer = Answer::new(request.to_string(), status, headers, &body);
        Ok(answer.without(&self.key))
    }

    /// Keeps the limit that `GET /me` shows, for a service whose responses do not count down.
    pub(crate) fn set_stated_limit(&mut self, rate_limit: &Value) {
        let number = |name: &str| rate_limit.get(name).and_then(Value::as_u64);
        let limit = rate_limit.as_u64().or_else(|| number("limit"));
        let window = number("window_seconds").map_or(DEFAULT_WINDOW, Duration::from_secs);
        let limit = limit.and_then(|limit| u32::try_from(limit).ok());
        let limit = limit.filter(|limit| (1..MAX_REQUESTS).contains(limit));
        self.stated_limit = limit.map(|limit| (limit, window));
    }

    /// Waits for the next window of the rate limit if this response used up the current one.
    async fn wait_for_quota(&mut self, answer: &Answer) -> Result<(), String> {
        let remaining = answer.quota("remaining");
        let delay = match (remaining, answer.quota("reset"), self.stated_limit) {
            // Some services send the time of the reset instead of the seconds until then.
            (Some(0), Some(reset @ MIN_UNIX_TIME..), _) => {
                let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default();
                Duration::from_secs(reset.saturating_sub(now))
            }
            (Some(0), Some(reset), _) => Duration::from_secs(reset),
            // Without a header with the limit, this one may count something other than requests.
            (Some(0), None, stated) if answer.quota("limit").is_some() => {
                stated.map_or(DEFAULT_WINDOW, |(_, window)| window)
            }
            (None, _, Some((limit, window))) if self.sent.is_multiple_of(limit) => window,
            _ => return Ok(()),
        };
        self.wait(delay).await
    }

    async fn wait(&mut self, delay: Duration) -> Result<(), String> {
        self.waited = self.waited.saturating_add(delay);
        if self.waited > MAX_WAIT {
            let max = MAX_WAIT.as_secs();
            let reason =
                format!("the rate limit of the service requires waiting more than {max} s");
            self.stopped = Some(reason.clone());
            return Err(reason);
        }
        if !delay.is_zero() {
            let seconds = delay.as_secs();
            warn(&format!(
                "waiting {seconds} s for the rate limit of the service"
            ));
        }
        tokio::select! {
            () = tokio::time::sleep(delay) => Ok(()),
            Ok(_) = self.interrupted.wait_for(|interrupted| *interrupted) => {
                Err(INTERRUPTED.to_owned())
            }
        }
    }
}

/// Returns the time to wait before the request is sent again.
fn requested_delay(answer: &Answer) -> Option<Duration> {
    const DEFAULT: Duration = Duration::from_secs(10);
    match (answer.status, answer.header("retry-after")) {
        (429, None) => Some(DEFAULT),
        (429 | 503, Some(text)) => Some(retry_after(text).unwrap_or(DEFAULT)),
        _ => None,
    }
}

/// Parses seconds or an HTTP date.
fn retry_after(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    let delay = date.duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(delay).unwrap_or_default())
}

/// Returns the error and its causes, which `Display` of reqwest omits, up to a problem of TLS.
fn with_causes(error: &reqwest::Error) -> String {
    let (mut text, mut next) = (error.to_string(), error.source());
    while let Some(cause) = next {
        next = cause.source();
        if let Some(problem) = cause.downcast_ref() {
            return format!("{text}: {problem}{}", advice(problem));
        }
        // The source of an I/O error skips the error that it wraps, which has the same text.
        match cause.downcast_ref().and_then(io::Error::get_ref) {
            Some(wrapped) => next = Some(wrapped),
            None => text = format!("{text}: {cause}"),
        }
    }
    text
}

/// Returns what to do about a problem of TLS.
fn advice(error: &rustls::Error) -> &'static str {
    use rustls::CertificateError::{BadSignature, UnknownIssuer};
    use rustls::Error::{InvalidCertificate, InvalidMessage};
    use rustls::InvalidMessage::InvalidContentType;
    match error {
        InvalidCertificate(UnknownIssuer | BadSignature) => {
            "; if a private authority issued the service's certificate, set SSL_CERT_FILE to a file with that of \
             the authority"
        }
        InvalidMessage(InvalidContentType) => {
            "; the service does not support HTTPS on this port; check its URL"
        }
        _ => "",
    }
}

/// Replaces the progress line on a terminal.
fn progress(line: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // Ignore a closed stderr.
        let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
    }
}
