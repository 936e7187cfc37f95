//! Verifies requests and responds to them, and sends messages to the task that prints them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver as Messages, Sender as MessageSender, channel};
use webhook_verify::{MAX_CONSECUTIVE_FAILURES, Receiver, Verifier};

use super::event::{Event, Recorder};
use super::limits::Limits;
use crate::commands::webhook::{Attempt, Delivery, Sender, verify};

/// Maximum number of messages that wait to be printed.
const MAX_MESSAGES: usize = 1_000;

/// Maximum number of deliveries that wait to be forwarded.
const MAX_FORWARDED: usize = 1_000;

/// Maximum size of the bodies that wait to be forwarded.
const MAX_FORWARDED_BYTES: usize = 64 << 20;

/// The minimum time between lines about rejected deliveries, which anyone can send.
const REJECTION_INTERVAL: Duration = Duration::from_secs(1);

/// The numbers of consecutive failures that cause a warning: half of those that turn a webhook off, and
/// all of them.
const WARNINGS: [u64; 2] = [MAX_FAILURES / 2, MAX_FAILURES];

pub(super) const MAX_FAILURES: u64 = MAX_CONSECUTIVE_FAILURES as u64;

type EmptyResponse = Response<Empty<Bytes>>;

/// Handles requests; shared by all connections.
pub(super) struct Handler {
    receiver: Receiver,
    recorder: Option<Recorder>,
    forward_to: Option<Sender>,
    /// The deliveries to forward, in the order in which they were verified. The first is being sent.
    queue: Mutex<VecDeque<Delivery>>,
    limits: Limits,
    /// The maximum number of verified deliveries.
    max: u64,
    pub(super) counts: Arc<Counts>,
    /// The time of the last line about a rejected delivery, and the number of those without one since.
    last_rejection: Mutex<(Option<Instant>, u64)>,
    /// Notified when there are enough verified deliveries.
    pub(super) has_enough: Notify,
    pub(super) messages: MessageSender<Message>,
}

/// The numbers of deliveries.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) verified: AtomicU64,
    pub(super) rejected: AtomicU64,
    /// Rejected because of the signature.
    pub(super) unauthorized: AtomicU64,
    /// Rejected or not recorded since the last success.
    consecutive_failures: AtomicU64,
    /// Not printed because too many were waiting.
    pub(super) dropped: AtomicU64,
}

/// A message to print.
pub(super) enum Message {
    /// Deliveries are accepted.
    Ready,
    /// Some deliveries are still being answered, or forwarded: so many.
    Waiting(usize),
    Delivered(Box<Event>),
    /// So many consecutive deliveries have failed.
    Failing(u64),
    /// The outcome of forwarding a delivery.
    Forwarded {
        kind: String,
        attempt: Attempt,
    },
    /// A delivery of this kind had to make room for others.
    NotForwarded(String),
}

impl Handler {
    pub(super) fn new(
        verifier: Verifier,
        forward_to: Option<Sender>,
        recorder: Option<Recorder>,
        max: u64,
    ) -> (Self, Messages<Message>) {
        let (sender, messages) = channel(MAX_MESSAGES);
        let handler = Self {
            receiver: Receiver::new(verifier),
            recorder,
            forward_to,
            queue: Mutex::default(),
            limits: Limits::new(),
            max,
            counts: Arc::default(),
            last_rejection: Mutex::default(),
            has_enough: Notify::new(),
            messages: sender,
        };
        (handler, messages)
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
        let received = self.limits.receive(&self.receiver, &parts.headers, body);
        let (verification, body, status) = match received.await {
            Ok(verified) => {
                let kind_mismatch = verify::kind_mismatch(&verified);
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

    /// Records, prints and forwards a verified delivery. One that cannot be recorded is not acknowledged.
    fn accept(self: Arc<Self>, mut event: Event) -> StatusCode {
        if self.counts.verified.load(Ordering::Relaxed) == self.max {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let recorder = self.recorder.as_ref();
        event.not_recorded = recorder.and_then(|recorder| recorder.record(&event));
        let delivery = match event.not_recorded {
            Some(_) => {
                event.status = StatusCode::SERVICE_UNAVAILABLE;
                event.consecutive_failures = self.count_failure();
                None
            }
            None => {
                self.counts.consecutive_failures.store(0, Ordering::Relaxed);
                if self.counts.verified.fetch_add(1, Ordering::Relaxed) + 1 == self.max {
                    self.has_enough.notify_one();
                }
                Some(Delivery::forwarded(&event.headers, event.body.clone()))
            }
        };
        let status = event.status;
        self.report(Message::Delivered(Box::new(event)));
        // Answered before it is forwarded, so that errors of the receiver cannot turn the webhook off.
        if let Some((to, delivery)) = self.forward_to.clone().zip(delivery) {
            self.enqueue(delivery, to);
        }
        status
    }

    /// Forwards a delivery after those before it. Drops the oldest if too many wait.
    fn enqueue(self: Arc<Self>, delivery: Delivery, to: Sender) {
        let mut queue = self.queue();
        queue.push_back(delivery);
        let is_over = |queue: &VecDeque<Delivery>| {
            let sizes = queue.iter().skip(1).map(|delivery| delivery.body.len());
            queue.len() > MAX_FORWARDED + 1 || sizes.sum::<usize>() > MAX_FORWARDED_BYTES
        };
        while queue.len() > 2
            && is_over(&queue)
            && let Some(oldest) = queue.remove(1)
        {
            self.report(Message::NotForwarded(oldest.kind()));
        }
        if queue.len() == 1 {
            tokio::spawn(Arc::clone(&self).forward_all(to));
        }
    }

    /// Forwards the deliveries in the queue until it is empty.
    async fn forward_all(self: Arc<Self>, to: Sender) {
        let first = || self.queue().front().cloned();
        while let Some(delivery) = first() {
            let attempt = to.post(&delivery).await;
            let kind = delivery.kind();
            self.report(Message::Forwarded { kind, attempt });
            self.queue().pop_front();
        }
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, VecDeque<Delivery>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a rejected delivery, and prints it unless another one was printed just before.
    fn reject(&self, mut event: Event) -> StatusCode {
        let status = event.status;
        self.counts.rejected.fetch_add(1, Ordering::Relaxed);
        if status == StatusCode::UNAUTHORIZED {
            self.counts.unauthorized.fetch_add(1, Ordering::Relaxed);
        }
        event.consecutive_failures = self.count_failure();
        let last = self.last_rejection.lock();
        let (printed_at, not_printed) = &mut *last.unwrap_or_else(PoisonError::into_inner);
        if printed_at.is_some_and(|at| at.elapsed() < REJECTION_INTERVAL) {
            *not_printed += 1;
            return status;
        }
        *printed_at = Some(Instant::now());
        event.not_printed = std::mem::take(not_printed);
        self.report(Message::Delivered(Box::new(event)));
        status
    }

    /// Counts a failure, as the service does, and returns the number of consecutive ones.
    fn count_failure(&self) -> u64 {
        let consecutive = &self.counts.consecutive_failures;
        let count = consecutive.fetch_add(1, Ordering::Relaxed) + 1;
        if WARNINGS.contains(&count) {
            self.report(Message::Failing(count));
        }
        count
    }

    /// Sends a message to print, unless too many wait.
    pub(super) fn report(&self, message: Message) {
        let is_delivery = matches!(message, Message::Delivered(_));
        if self.messages.try_send(message).is_err() && is_delivery {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn empty_response(status: StatusCode) -> EmptyResponse {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}
