//! Sends requests with reqwest.

use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::{Body, Method, Request, Response, StatusCode};
use url::Url;

use super::request_body::{RequestBody, SendGuard};
use super::tls::{self, root_cause};
use crate::error::one_line::one_line;
use crate::{Error, ErrorKind};

/// The HTTP client and its connections.
#[derive(Debug, Clone)]
pub(super) struct Network {
    pub(super) http: reqwest::Client,
    /// The timeout of the HTTP client.
    pub(super) default_timeout: Duration,
    /// The host and port to which a proxy opens tunnels, if there is a proxy and HTTPS.
    pub(super) tunnel_to: Option<Url>,
}

impl Network {
    /// Sends a request and returns the head of the response. Not an async function, because its
    /// future would store the request, which is large.
    pub(super) fn send(
        &self,
        mut request: Request,
        body: Option<Bytes>,
        timeout: Duration,
    ) -> impl Future<Output = Result<Response, Error>> + Send {
        // Using the timeout of the HTTP client is cheaper than setting one per request.
        if timeout != self.default_timeout {
            *request.timeout_mut() = Some(timeout);
        }
        let guard = body.map(|body| {
            let (body, guard) = RequestBody::new(body);
            *request.body_mut() = Some(Body::wrap(body));
            guard
        });
        let started = self.tunnel_to.is_some().then(Instant::now);
        let response = self.http.execute(request);
        async move {
            let error = match response.await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            if let Some(started) = started
                && let left = timeout.saturating_sub(started.elapsed())
                && let Some(status) = Box::pin(self.tunnel_refusal(&error, left)).await
            {
                return Err(refused_tunnel(status));
            }
            Err(send_error(error, timeout, guard))
        }
    }

    /// Returns the status code with which the proxy refuses a tunnel. The HTTP client does not
    /// report it, so this requests the tunnel once more.
    async fn tunnel_refusal(&self, error: &reqwest::Error, left: Duration) -> Option<StatusCode> {
        let cause = root_cause(error);
        if !cause.starts_with("tunnel error: ") {
            return None;
        }
        // Without the key, which the proxy must not see.
        let mut connect = Request::new(Method::CONNECT, self.tunnel_to.clone()?);
        *connect.timeout_mut() = Some(left);
        let status = self.http.execute(connect).await.ok()?.status();
        (!status.is_success()).then_some(status)
    }
}

fn refused_tunnel(status: StatusCode) -> Error {
    let advice = match status {
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            "; check the user name and password in the URL of the proxy"
        }
        _ => "",
    };
    let reason = format!(
        "could not connect, so nothing was sent: the proxy refused the tunnel with {status}{advice}"
    );
    Error::new(ErrorKind::Connection, reason)
}

/// Converts an error without a response. If the body was not sent, the service has not received the
/// request.
fn send_error(error: reqwest::Error, timeout: Duration, guard: Option<SendGuard>) -> Error {
    let is_unsent = guard.is_some_and(SendGuard::cancel);
    if is_unsent && error.is_timeout() && !error.is_connect() {
        let reason = format!(
            "could not send the request within {}, so nothing was sent",
            seconds(timeout)
        );
        return Error::new(ErrorKind::Connection, reason);
    }
    transport_error(error, timeout)
}

/// Converts an error of the HTTP client.
pub(super) fn transport_error(error: reqwest::Error, timeout: Duration) -> Error {
    let error = error.without_url();
    let cause = one_line(&root_cause(&error));
    let (kind, reason) = if error.is_builder() {
        return could_not_create(&cause);
    } else if error.is_connect() {
        let advice = tls::advice(&cause);
        let reason = format!("could not connect, so nothing was sent: {cause}{advice}");
        (ErrorKind::Connection, reason)
    } else if error.is_timeout() {
        return timed_out(timeout);
    } else {
        let reason = format!("the connection was lost before the response was complete: {cause}");
        (ErrorKind::Interrupted, reason)
    };
    Error::new(kind, reason)
}

pub(super) fn could_not_create(cause: &str) -> Error {
    let reason = format!("could not create the request, so nothing was sent: {cause}");
    Error::new(ErrorKind::Invalid, reason)
}

pub(super) fn timed_out(timeout: Duration) -> Error {
    let reason = format!("no complete response within {}", seconds(timeout));
    Error::new(ErrorKind::Timeout, reason)
}

fn seconds(time: Duration) -> String {
    let seconds = (time.as_secs_f64() * 100.0).round() / 100.0;
    let unit = if seconds == 1.0 { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}
