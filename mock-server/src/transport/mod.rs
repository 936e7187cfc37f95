//! HTTP on hyper, for both servers: reads requests, passes them to a service, and applies faults to the
//! responses. The faults of connections are in `connection`.

mod connection;

use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, EXPECT};
use http::request::Parts;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::time::{sleep, timeout};

use crate::engine::{HeaderLines, Request, host};
use crate::faults::{PlannedReply, ReplyBody, WireFault};
use crate::journal::Entry;
use crate::service::{Exchange, Service};
use crate::tasks::{Shutdown, run_blocking};

pub(crate) use connection::{Handler, serve};

/// Reads a request: passes its head to `route`, then reads its body. It is discarded after an error, and as soon
/// as `Content-Length` or its bytes exceed the limit.
pub(crate) async fn receive<T, E>(
    request: http::Request<Incoming>,
    limit: usize,
    shutdown: &Shutdown,
    route: impl FnOnce(&mut Request) -> Result<T, E>,
) -> Result<(Result<T, E>, Request), NoResponse> {
    let (head, body) = request.into_parts();
    let mut received = read_head(&head);
    let routed = route(&mut received);
    let received = match length_above(&head.headers, limit) {
        None if body.is_end_stream() => received,
        None if routed.is_ok() => {
            let received = timeout(READ_TIMEOUT, receive_body(received, body, limit));
            tokio::select! {
                biased;
                received = received => received.unwrap_or(Err(NoResponse::Incomplete)),
                () = shutdown.started() => Err(NoResponse::Incomplete),
            }?
        }
        length => {
            // A client that sent `Expect: 100-continue` does not send its body.
            if !head.headers.contains_key(EXPECT) {
                discard(body);
            }
            received.discarded_body(length.unwrap_or_default())
        }
    };
    Ok((routed, received))
}

/// Returns a request without its body.
fn read_head(head: &Parts) -> Request {
    let authority = head.uri.authority().map(Authority::as_str).map(host);
    // CONNECT has only a host and a port.
    let target = head.uri.path_and_query().map(PathAndQuery::as_str);
    let target = target.or(authority).unwrap_or_default();
    let mut received = Request::new(head.method.as_str(), target);
    received.headers = texts(&head.headers);
    received.version = head.version;
    if let Some(host) = authority {
        let scheme = head.uri.scheme_str();
        received.sent = scheme.map(|scheme| format!("{scheme}://{host}{target}").into());
        // It replaces `Host` (RFC 9112, section 3.2.2).
        received.headers.retain(|(name, _)| name != "host");
        received = received.header("host", host);
    }
    received
}

/// Returns the `Content-Length` if it exceeds the limit.
fn length_above(headers: &HeaderMap, limit: usize) -> Option<usize> {
    let length = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    (length > limit).then_some(length)
}

async fn receive_body(
    received: Request,
    mut body: Incoming,
    limit: usize,
) -> Result<Request, NoResponse> {
    let mut kept = Vec::new();
    while let Some(data) = next(&mut body).await? {
        if kept.len() + data.len() > limit {
            discard(body);
            return Ok(received.discarded_body(kept.len() + data.len()));
        }
        kept.extend_from_slice(&data);
    }
    Ok(received.body(kept))
}

/// Reads the rest of a body while the response is sent, since many clients read the response only
/// after they have sent the whole request.
fn discard(mut body: Incoming) {
    tokio::spawn(timeout(READ_TIMEOUT, async move {
        while let Ok(Some(_)) = next(&mut body).await {}
    }));
}

/// Returns the next bytes of a body, or `None` at its end.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, hyper::Error> {
    while let Some(frame) = body.frame().await.transpose()? {
        // Ignore trailers.
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Answers a request after the planned delays, which the shutdown ends. Returns its entry in the journal, too.
pub(crate) async fn answer(
    service: Arc<Service>,
    request: Request,
    shutdown: &Shutdown,
) -> (Responded, Arc<Entry>) {
    let is_slow = service.store.is_slow;
    // Without a delay, the request is handled in the same stage, even if the client disconnects.
    let (mut exchange, next) = run(is_slow, shutdown, move || {
        let mut exchange = Exchange::plan(service, &request);
        let next = match exchange.plan.delay_before.is_zero() {
            true => Break(exchange.handle(request)),
            false => {
                exchange.receive(&request);
                Continue(request)
            }
        };
        (exchange, next)
    })
    .await;
    let (reply, entry) = match next {
        Break(handled) => handled,
        Continue(request) => {
            wait(exchange.plan.delay_before, shutdown).await;
            // From here on, the request is handled even if the client disconnects.
            let handled;
            (exchange, handled) = run(is_slow, shutdown, move || {
                let handled = exchange.handle(request);
                (exchange, handled)
            })
            .await;
            handled
        }
    };
    if let Some((time, carry_out)) = exchange.take_late(&reply) {
        let (shutdown, ended) = (shutdown.clone(), exchange.service.ended.started());
        tokio::spawn(async move {
            tokio::select! {
                () = sleep(time) => run(is_slow, &shutdown, carry_out).await,
                () = ended => {}
            }
        });
    }
    wait(exchange.plan.delay_after, shutdown).await;
    exchange.conclude(&reply);
    let responded = match reply.wire {
        Some(wire) => Err(NoResponse::Fault(Box::new((reply, exchange)), wire)),
        None => Ok(response(reply)),
    };
    (responded, entry)
}

/// Runs a stage, on the blocking thread pool if the state file may block. The end of the server waits
/// for it.
async fn run<T: Send + 'static>(
    is_slow: bool,
    shutdown: &Shutdown,
    stage: impl FnOnce() -> T + Send + 'static,
) -> T {
    if !is_slow {
        return stage();
    }
    let unfinished = shutdown.started();
    run_blocking(move || {
        let result = stage();
        drop(unfinished);
        result
    })
    .await
}

async fn wait(delay: Duration, shutdown: &Shutdown) {
    if !delay.is_zero() {
        tokio::select! {
            () = sleep(delay) => {}
            () = shutdown.started() => {}
        }
    }
}

/// A response to a request, or the reason for ending the connection without one.
pub(crate) type Responded = Result<Response<Full<ReplyBody>>, NoResponse>;

/// Converts a reply without a wire fault into a response.
pub(crate) fn response(planned: PlannedReply) -> Response<Full<ReplyBody>> {
    let status = StatusCode::from_u16(planned.code).expect("a reply has a status of three digits");
    let mut response = Response::new(Full::new(planned.body()));
    *response.status_mut() = status;
    // Room for the headers that hyper adds, too.
    response.headers_mut().reserve(planned.headers.len() + 2);
    response.headers_mut().extend(headers(planned.headers));
    response
}

/// Maximum time that a client may take to send the head of a request, or its body.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why hyper does not send a response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoResponse {
    /// A wire fault applies. The reply is written to the connection after hyper has released it, and the exchange
    /// records what becomes of it.
    #[error("the connection ends with a wire fault")]
    Fault(Box<(PlannedReply, Exchange)>, WireFault),
    /// The connection failed while the request was read.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The client stopped sending in the middle of the request, or the server shuts down before the
    /// whole request has arrived.
    #[error("the rest of the body did not arrive in time")]
    Incomplete,
}

/// Converts the headers of a request for the engine.
pub(crate) fn texts(given: &HeaderMap) -> Vec<(String, String)> {
    // A value that is not UTF-8 is in Latin-1, as in older versions of HTTP.
    let text = |value: &HeaderValue| {
        let latin_1 = |_| value.as_bytes().iter().copied().map(char::from).collect();
        std::str::from_utf8(value.as_bytes()).map_or_else(latin_1, str::to_owned)
    };
    let given = given.iter();
    given
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// Converts the headers of a reply.
pub(crate) fn headers(lines: HeaderLines) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    lines.into_iter().map(|(name, value)| {
        let name = HeaderName::try_from(&*name).expect("header names of a reply are valid");
        // A method or path in a rejection came through hyper, so it is valid in a header.
        let value = HeaderValue::try_from(value.into_owned());
        (name, value.expect("header values of a reply are valid"))
    })
}
