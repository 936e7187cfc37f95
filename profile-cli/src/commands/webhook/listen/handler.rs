//! Verifies requests, responds to them, and passes the deliveries on.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use webhook_verify::{
    ConsecutiveFailures, MAX_CONSECUTIVE_FAILURES, Receiver, Rejection, Verified, Verifier,
};

use super::event::{Event, Message, Queue, Recorder, State};
use crate::commands::webhook::delivery::{Delivery, Sender};
use crate::commands::webhook::verify::{kind_mismatch, verify_error_reason};

/// Maximum number of long bodies that are received at the same time.
const MAX_LONG_BODIES: usize = 64;

/// Maximum size of a body that is not long. One of unknown length is.
const SHORT_BYTES: u64 = 16 << 10;

/// The timeout for reading a body, so that a slow sender cannot hold a connection.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout of a long body before it is read.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The minimum time between lines about rejected deliveries, which anyone can send.
const REJECTION_INTERVAL: Duration = Duration::from_secs(1);

type EmptyResponse = Response<Empty<Bytes>>;

/// Handles requests; shared by all connections.
pub(super) struct Handler {
    receiver: Receiver,
    long_bodies: Semaphore,
    recorder: Option<Recorder>,
    to_print: Arc<Queue<Message>>,
    to_forward: Option<Arc<Queue<ToForward>>>,
    /// The maximum number of verified deliveries.
    max: u64,
    state: Arc<State>,
    /// The time of the last line about a rejected delivery, and the number of those without one since.
    last_rejection: Mutex<(Option<Instant>, u64)>,
}

/// A delivery to forward, with the time when it was received.
pub(super) type ToForward = (Timestamp, Delivery);

impl Handler {
    pub(super) fn new(
        verifier: Verifier,
        recorder: Option<Recorder>,
        to_print: Arc<Queue<Message>>,
        to_forward: Option<Arc<Queue<ToForward>>>,
        max: u64,
        state: &Arc<State>,
    ) -> Self {
        let warnings = Arc::clone(&to_print);
        let warn = move |failures| {
            let warning = warning(failures);
            warning.map(|warning| warnings.push(Message::Warning(warning), 0));
        };
        Self {
            receiver: Receiver::new(verifier)
                .time_limit(BODY_TIMEOUT)
                .on_failure(warn),
            long_bodies: Semaphore::new(MAX_LONG_BODIES),
            recorder,
            to_print,
            to_forward,
            max,
            state: Arc::clone(state),
            last_rejection: Mutex::default(),
        }
    }

    /// Handles one request.
    pub(super) async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<EmptyResponse, Infallible> {
        if request.method() != Method::POST {
            tracing::info!("rejected a {} request with 405", request.method());
            let mut response = empty_response(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = HeaderValue::from_static("POST");
            response.headers_mut().insert(ALLOW, allowed);
            return Ok(response);
        }
        // A separate task, which is not cancelled if the client disconnects.
        let processed = tokio::spawn(self.process(request)).await;
        let status = processed.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Ok(empty_response(status))
    }

    /// Processes a delivery and returns the status code of the response.
    async fn process(self: Arc<Self>, request: Request<Incoming>) -> StatusCode {
        let received_at = Timestamp::now();
        let (parts, body) = request.into_parts();
        let announced = body.size_hint().exact();
        let (verification, body, status) = match self.receive(&parts.headers, body).await {
            Ok(verified) => {
                let kind_mismatch = kind_mismatch(&verified);
                let body = verified.into_body();
                (Ok(kind_mismatch), body, StatusCode::NO_CONTENT)
            }
            Err((status, reason)) => (Err(reason), Bytes::new(), status),
        };
        let event = Event {
            received_at,
            path: parts.uri.path().to_owned(),
            headers: parts.headers,
            body,
            announced,
            verification,
            status,
            consecutive_failures: 0,
            not_recorded: None,
            not_printed: 0,
        };
        match event.verification.is_ok() {
            true => self.accept(event),
            false => self.reject(event),
        }
    }

    /// Reads and verifies a delivery. Long bodies wait for each other, so that slow ones do not take much memory.
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: Incoming,
    ) -> Result<Verified<Bytes>, (StatusCode, String)> {
        let length = body.size_hint().upper();
        let is_short = length.is_some_and(|max| max <= SHORT_BYTES);
        let permit = match is_short {
            true => None,
            false => Some(timeout(WAIT_TIMEOUT, self.long_bodies.acquire()).await),
        };
        if let Some(Err(_)) = permit {
            self.receiver
                .count_response(&empty_response(StatusCode::SERVICE_UNAVAILABLE));
            let reason = "too many other deliveries are being received";
            return Err((StatusCode::SERVICE_UNAVAILABLE, reason.to_owned()));
        }
        let received = self.receiver.receive(headers, body).await;
        received.map_err(|rejection| {
            let reason = match &rejection {
                Rejection::NotVerified(error) => verify_error_reason(error),
                other => other.to_string(),
            };
            (rejection.status(), reason)
        })
    }

    /// Records a verified delivery, and passes it on. One that cannot be recorded is not acknowledged.
    fn accept(&self, mut event: Event) -> StatusCode {
        let state = &self.state;
        if state.verified.load(Ordering::Relaxed) == self.max {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let recorder = self.recorder.as_ref();
        event.not_recorded = recorder.and_then(|recorder| recorder.record(&event));
        if event.not_recorded.is_some() {
            event.status = StatusCode::SERVICE_UNAVAILABLE;
        }
        let status = event.status;
        self.receiver.count_response(&empty_response(status));
        event.consecutive_failures = self.receiver.consecutive_failures().count();
        let to_forward = self.to_forward.as_ref().filter(|_| status.is_success());
        let to_forward = to_forward.map(|queue| {
            let delivery = Delivery::forwarded(&event.headers, event.body.clone());
            (queue, (event.received_at, delivery))
        });
        if status.is_success() && state.verified.fetch_add(1, Ordering::Relaxed) + 1 == self.max {
            state.stop.notify_one();
        }
        let size = event.body.len();
        let mut fits = self
            .to_print
            .push(Message::Delivered(Box::new(event)), size);
        // Answered before it is forwarded, so that errors of the receiver cannot turn the webhook off.
        if let Some((queue, delivery)) = to_forward {
            let is_queued = queue.push(delivery, size);
            state.waiting.fetch_add(is_queued.into(), Ordering::Relaxed);
            fits &= is_queued;
        }
        state.lost.fetch_add((!fits).into(), Ordering::Relaxed);
        status
    }

    /// Counts a rejected delivery, and prints it unless another one was printed just before.
    fn reject(&self, mut event: Event) -> StatusCode {
        let status = event.status;
        self.state.rejected.fetch_add(1, Ordering::Relaxed);
        event.consecutive_failures = self.receiver.consecutive_failures().count();
        let last = self.last_rejection.lock();
        let (printed_at, not_printed) = &mut *last.unwrap_or_else(PoisonError::into_inner);
        if printed_at.is_some_and(|at| at.elapsed() < REJECTION_INTERVAL) {
            *not_printed += 1;
            return status;
        }
        *printed_at = Some(Instant::now());
        event.not_printed = std::mem::take(not_printed);
        self.to_print.push(Message::Delivered(Box::new(event)), 0);
        status
    }
}

/// Returns the warning after half of the failures that turn a webhook off, and after all of them.
fn warning(failures: ConsecutiveFailures) -> Option<String> {
    const MAX: u32 = MAX_CONSECUTIVE_FAILURES;
    let count = failures.count();
    let consequence = match count {
        MAX => "if the service sent them, it has turned the webhook off".to_owned(),
        _ if count == MAX / 2 => format!("after {MAX}, the service turns the webhook off"),
        _ => return None,
    };
    let suspicion = match failures.ever_verified() {
        true => "",
        false => "; none has succeeded so far, so check the secret",
    };
    Some(format!(
        "{count} consecutive deliveries have failed; {consequence}{suspicion}"
    ))
}

/// Returns a queue, and a future that forwards the deliveries in it, one after the other.
pub(super) fn forward(
    to: Sender,
    to_print: Arc<Queue<Message>>,
    state: Arc<State>,
) -> (Arc<Queue<ToForward>>, impl Future<Output = ()>) {
    let (queue, mut deliveries) = Queue::<ToForward>::new();
    let forwarding = async move {
        let mut advised = HashSet::new();
        while let Some(((received_at, delivery), _permit)) = deliveries.recv().await {
            let attempt = to.post(&delivery).await;
            state.waiting.fetch_sub(1, Ordering::Relaxed);
            let (kind, text) = (delivery.kind(), attempt.as_text());
            if attempt.is_success() {
                tracing::info!("forwarded {kind}: {text}");
                continue;
            }
            let is_new = advised.insert(attempt.response.as_ref().ok().copied());
            let advice = attempt.failure_advice().filter(|_| is_new);
            let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
            let warning = format!("forwarding {kind} of {received_at:.3} failed: {text}{advice}");
            to_print.push(Message::Warning(warning), 0);
        }
    };
    (queue, forwarding)
}

fn empty_response(status: StatusCode) -> EmptyResponse {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}
