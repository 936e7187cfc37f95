//! Sends requests with reqwest, and converts its errors.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Request, Response};

use super::attempt::{AttemptState, RequestBody, SendGuard};
use super::tls::{is_permanent, tls_advice};
use crate::error::{Error, ErrorKind, causes, find_cause, root_cause};
use crate::text::one_line;

/// The maximum size of the headers of a response.
pub(super) const MAX_HEADER_BYTES: u32 = 300_000;

/// The time for which the connections of [`Network::fresh`] are kept.
const FRESH: Duration = Duration::from_secs(1);

/// Creates an HTTP client that keeps idle connections for this time.
pub(super) type CreateHttp = dyn Fn(Duration) -> Result<reqwest::Client, Error> + Send + Sync;

/// The HTTP client and its connections.
#[derive(Clone)]
pub(super) struct Network {
    http: reqwest::Client,
    create_http: Arc<CreateHttp>,
    /// An HTTP client that never reuses a connection. It sends all creations after the service has
    /// closed a connection instead of responding to one: the service may close each connection after
    /// its response, and whether it received a request on a closed connection is unknown.
    unpooled: Arc<OnceLock<reqwest::Client>>,
    /// An HTTP client without old connections. It sends the attempts of a call after one without a response:
    /// the service may have forgotten all idle connections of the other one.
    fresh: Arc<OnceLock<reqwest::Client>>,
    /// The origin of the proxy.
    pub(super) proxy: Option<Arc<str>>,
    /// The timeout of the HTTP client.
    pub(super) default_timeout: Duration,
}

impl Network {
    pub(super) fn new(
        create_http: Arc<CreateHttp>,
        proxy: Option<String>,
        default_timeout: Duration,
    ) -> Result<Self, Error> {
        Ok(Self {
            // The default of reqwest.
            http: create_http(Duration::from_secs(90))?,
            create_http,
            unpooled: Arc::default(),
            fresh: Arc::default(),
            proxy: proxy.map(Into::into),
            default_timeout,
        })
    }

    /// Sends a request and returns the head of the response. Not an async function, because its
    /// future would store the request, which is large.
    pub(super) fn send(
        &self,
        mut request: Request,
        body: Option<Bytes>,
        timeout: Duration,
        avoids_pool: bool,
        state: Option<&AttemptState>,
    ) -> impl Future<Output = Result<Response, Error>> + Send + use<'_> {
        // Using the timeout of the HTTP client is cheaper than setting one per request.
        if timeout != self.default_timeout {
            *request.timeout_mut() = Some(timeout);
        }
        let guard = body.map(|body| {
            let guard = SendGuard::default();
            let body = RequestBody::new(body, &guard);
            *request.body_mut() = Some(reqwest::Body::wrap(body));
            guard
        });
        if let Some(state) = state {
            let guard = guard.clone();
            state.sent(move || guard.as_ref().is_some_and(SendGuard::is_first));
        }
        let is_creation = request.method() == Method::POST;
        let unpooled = self.unpooled.get().filter(|_| is_creation);
        let fresh = || avoids_pool.then(|| self.http_in(&self.fresh, FRESH))?;
        let http = unpooled.or_else(fresh).unwrap_or(&self.http);
        let response = http.execute(request);
        async move {
            if is_creation {
                // One turn of the runtime receives the end of an idle connection that the service
                // closed while the runtime stood still.
                tokio::task::yield_now().await;
            }
            let error = match response.await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            if is_creation && is_closed(&error) {
                self.http_in(&self.unpooled, Duration::ZERO);
            }
            Err(self.send_error(error, timeout, guard))
        }
    }

    /// Returns the HTTP client in a cell, and creates it before. Returns `None` if that fails.
    fn http_in<'a>(
        &self,
        cell: &'a OnceLock<reqwest::Client>,
        idle: Duration,
    ) -> Option<&'a reqwest::Client> {
        if cell.get().is_none() {
            let _ = cell.set((self.create_http)(idle).ok()?);
        }
        cell.get()
    }

    /// Converts an error without a response. If the body was not sent, the service has not received
    /// the request.
    fn send_error(
        &self,
        error: reqwest::Error,
        timeout: Duration,
        guard: Option<SendGuard>,
    ) -> Error {
        if error.is_connect() {
            return connect_error(&error, self.proxy.as_deref());
        }
        if is_unprocessed(&error) {
            let reason = "the service closed the connection without processing the request, so \
                          nothing was applied";
            return Error::new(ErrorKind::Connection, reason);
        }
        let is_unsent = guard.is_some_and(|guard| guard.is_first());
        if is_unsent && error.is_timeout() {
            let timeout = seconds(timeout);
            let reason =
                format!("could not send the request within {timeout}, so nothing was sent");
            return Error::unsent(ErrorKind::Connection, reason);
        }
        transport_error(error, timeout)
    }
}

/// Converts an error of connecting to the service, through the proxy with this origin if there is one.
fn connect_error(error: &reqwest::Error, proxy: Option<&str>) -> Error {
    let url = error.url();
    let service = url.map_or_else(String::new, |url| url.origin().ascii_serialization());
    let is_tunneled = url.is_some_and(|url| url.scheme() == "https");
    // The HTTP client does not export the type of this error.
    let tunnel_error = causes(error).find_map(|cause| {
        let cause = cause.to_string();
        cause.strip_prefix("tunnel error: ").map(str::to_owned)
    });
    let tunnel_error = tunnel_error.as_deref();
    let (failure, peer) = match (proxy, tunnel_error) {
        (Some(proxy), Some(error)) if error != "failed to create underlying connection" => {
            let failure = format!("the proxy {proxy} did not open a tunnel to {service}");
            (failure, "proxy")
        }
        (Some(proxy), None) if is_tunneled => {
            let failure = format!("could not connect to {service} through the proxy {proxy}");
            (failure, "service")
        }
        (Some(proxy), _) => (format!("could not connect to the proxy {proxy}"), "proxy"),
        (None, _) => (format!("could not connect to {service}"), "service"),
    };
    let advice = match tunnel_error {
        Some("proxy authorization required") => {
            Some("check the user name and password in the URL of the proxy".to_owned())
        }
        Some("unsuccessful") => {
            Some("it may reject this host, or be unable to reach it".to_owned())
        }
        _ => tls_advice(error, peer),
    };
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    let cause = one_line(&root_cause(error));
    let reason = format!("{failure}, so nothing was sent: {cause}{advice}");
    let is_permanent = tunnel_error == Some("proxy authorization required") || is_permanent(error);
    Error::unsent(ErrorKind::Connection, reason).permanent(is_permanent)
}

/// Returns `true` if the service closed an HTTP/1.1 connection without responding.
fn is_closed(error: &reqwest::Error) -> bool {
    let is_incomplete = |error: &hyper::Error| error.is_incomplete_message();
    let is_reset = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset;
    find_cause(error).is_some_and(is_incomplete) || find_cause(error).is_some_and(is_reset)
}

/// Returns `true` if the service states that it has not processed the request: the stream is refused, or
/// newer than the last one of a connection that closes without an error (RFC 9113, 6.8 and 8.7).
#[cfg(feature = "http2")]
fn is_unprocessed(error: &reqwest::Error) -> bool {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<h2::Error>());
    causes.any(|error| {
        let is_closed = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (is_closed || is_refused)
    })
}

#[cfg(not(feature = "http2"))]
fn is_unprocessed(_: &reqwest::Error) -> bool {
    false
}

/// Returns `true` if an HTTP/2 connection did not respond to a ping. The HTTP client does not export the
/// type of this error.
fn is_hung(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.to_string() == "keep-alive timed out")
}

/// Converts an error of the HTTP client after it has connected.
pub(super) fn transport_error(error: reqwest::Error, timeout: Duration) -> Error {
    let is_http = error.url().is_some_and(|url| url.scheme() == "http");
    let error = error.without_url();
    let cause = one_line(&root_cause(&error));
    if error.is_builder() {
        could_not_create(&cause)
    } else if is_hung(&error) {
        let reason = "the connection hung: the service did not respond to a ping";
        Error::new(ErrorKind::ResponseLost, reason)
    } else if error.is_timeout() {
        timed_out(timeout)
    } else if let Some(error) = invalid_head(&error, &cause, is_http) {
        error
    } else {
        let reason = format!("the connection was lost before the response was complete: {cause}");
        Error::new(ErrorKind::ResponseLost, reason).permanent(is_permanent(&error))
    }
}

/// Returns the error for the head of a response that cannot be read.
fn invalid_head(error: &reqwest::Error, cause: &str, is_http: bool) -> Option<Error> {
    let max_kilobytes = MAX_HEADER_BYTES / 1000;
    // The causes are only known by their texts.
    let (kind, reason) = if cause == "message head is too large" {
        // The number is hyper's.
        let reason = format!("more than 100 headers or {max_kilobytes} kB of headers");
        (ErrorKind::TooLarge, format!("the response has {reason}"))
    } else if cause.starts_with("stream error detected: ") {
        let reason = format!("is invalid, or has more than {max_kilobytes} kB of headers: {cause}");
        (ErrorKind::Unreadable, format!("the response {reason}"))
    } else if find_cause::<hyper::Error>(error)?.is_parse() {
        let https = if is_http { ", or use https" } else { "" };
        let reason = format!("the response is not valid HTTP: {cause}; check the base URL{https}");
        (ErrorKind::Unreadable, reason)
    } else {
        return None;
    };
    Some(Error::new(kind, reason))
}

pub(super) fn could_not_create(cause: &str) -> Error {
    let reason = format!("could not create the request, so nothing was sent: {cause}");
    Error::invalid(reason)
}

pub(super) fn timed_out(timeout: Duration) -> Error {
    let reason = format!("no complete response within {}", seconds(timeout));
    Error::new(ErrorKind::Timeout, reason)
}

fn seconds(time: Duration) -> String {
    if time < Duration::from_millis(10) {
        return format!("{time:?}");
    }
    let seconds = (time.as_secs_f64() * 100.0).round() / 100.0;
    let unit = if seconds == 1.0 { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::seconds;

    #[test]
    fn durations_are_readable() {
        for (milliseconds, text) in [
            (1, "1ms"),
            (4, "4ms"),
            (50, "0.05 seconds"),
            (1000, "1 second"),
            (30_000, "30 seconds"),
        ] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), text);
        }
    }
}
