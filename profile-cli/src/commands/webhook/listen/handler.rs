//! Verifies requests and responds to them, and sends messages to the task that prints them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use tokio::sync::mpsc::{Receiver as Messages, Sender as MessageSender, WeakSender, channel};
use tokio::sync::{Notify, Semaphore};
use webhook_verify::{Receiver, Rejection, Verifier};

use super::event::{Event, Recorder, Verification};
use crate::commands::webhook::delivery::{Attempt, Sender};
use crate::commands::webhook::verify;
use crate::outcome::failure::{Failure, FailureKind};

/// Maximum number of rejected deliveries for each delivery of `--max`.
const MAX_REJECTED: u64 = 10;

/// Maximum number of messages that wait to be printed.
const MAX_MESSAGES: usize = 1_000;

/// Maximum number of bodies that are received at the same time.
const MAX_BODIES: usize = 64;

/// The timeout for a body, so that a slow sender cannot hold a connection.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

type EmptyResponse = Response<Empty<Bytes>>;

/// Handles requests; shared by all connections.
pub(super) struct Handler {
    receiver: Receiver,
    recorder: Option<Recorder>,
    forward_to: Option<Sender>,
    /// A permit for each body.
    bodies: Semaphore,
    /// The maximum number of verified deliveries.
    max: u64,
    counts: Arc<Counts>,
    /// Notified when there are enough verified, or too many rejected deliveries.
    has_enough: Notify,
    messages: MessageSender<Message>,
}

/// The numbers of deliveries.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) verified: AtomicU64,
    pub(super) rejected: AtomicU64,
    /// Since the last verified delivery.
    consecutive_rejections: AtomicU64,
    /// Not printed because too many were waiting.
    pub(super) dropped: AtomicU64,
}

/// A message to print.
pub(super) enum Message {
    /// Deliveries are accepted.
    Ready,
    /// Some deliveries are still being answered or forwarded.
    Waiting,
    Delivered(Box<Event>),
    /// The outcome of forwarding a delivery.
    Forwarded {
        kind: String,
        attempt: Attempt,
    },
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
            bodies: Semaphore::new(MAX_BODIES),
            max,
            counts: Arc::default(),
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
        let processed = tokio::spawn(self.process(request));
        Ok(empty_response(
            processed.await.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        ))
    }

    /// Processes a delivery and returns the status code of the response.
    async fn process(self: Arc<Self>, request: Request<Incoming>) -> StatusCode {
        let received_at = Timestamp::now();
        let (parts, body) = request.into_parts();
        let announced = body.size_hint().exact();
        let receiving = async {
            let _permit = self.bodies.acquire().await;
            self.receiver.receive(&parts.headers, body).await
        };
        let received = tokio::time::timeout(BODY_TIMEOUT, receiving).await;
        let received = received.unwrap_or(Err(Rejection::TimedOut(BODY_TIMEOUT)));
        let Some(consecutive_failures) = self.count(received.is_ok()) else {
            return StatusCode::SERVICE_UNAVAILABLE;
        };
        let (verification, body, status) = match received {
            Ok(verified) => {
                let kind_mismatch = verify::kind_mismatch(&verified);
                let verification = Verification::Verified { kind_mismatch };
                (verification, verified.into_body(), StatusCode::NO_CONTENT)
            }
            Err(rejection) => {
                let verification = Verification::Rejected(verify::rejection_reason(&rejection));
                (verification, Bytes::new(), rejection.status())
            }
        };
        let mut event = Event {
            received_at,
            path: parts.uri.path().to_owned(),
            headers: parts.headers,
            body,
            announced,
            verification,
            status,
            consecutive_failures,
            not_recorded: None,
        };
        let recorder = self.recorder.as_ref().filter(|_| event.is_verified());
        event.not_recorded = recorder.and_then(|recorder| recorder.record(&event));
        let delivery = event.is_verified().then(|| event.delivery());
        // Answered before it is forwarded, so that errors of the receiver cannot turn the webhook off.
        self.report(Message::Delivered(Box::new(event)));
        if let Some((to, delivery)) = self.forward_to.clone().zip(delivery) {
            tokio::spawn(async move {
                let attempt = to.post(&delivery).await;
                let kind = delivery.kind();
                self.report(Message::Forwarded { kind, attempt });
            });
        }
        status
    }

    /// Counts a delivery, and returns the number of consecutive failures, or `None` after the last
    /// delivery.
    fn count(&self, is_verified: bool) -> Option<u64> {
        let (count, max) = match is_verified {
            true => (&self.counts.verified, self.max),
            false => (&self.counts.rejected, self.max.saturating_mul(MAX_REJECTED)),
        };
        let more = |count: u64| (count < max).then_some(count + 1);
        let counted = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if counted.ok()? + 1 == max {
            self.has_enough.notify_one();
        }
        let consecutive = &self.counts.consecutive_rejections;
        if is_verified {
            consecutive.store(0, Ordering::Relaxed);
            return Some(0);
        }
        Some(consecutive.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Waits until there are enough verified deliveries. Fails if there are too many rejected ones.
    pub(super) async fn has_enough(&self) -> Result<(), Failure> {
        self.has_enough.notified().await;
        match self.max - self.counts.verified.load(Ordering::Relaxed) {
            0 => Ok(()),
            missing => {
                let message = format!(
                    "too many deliveries were rejected; --max waits for {missing} more verified ones"
                );
                Err(Failure::new(FailureKind::Mismatch, message).hint("check the secret"))
            }
        }
    }

    /// Returns the numbers of deliveries.
    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Returns the channel of the messages, without keeping it open.
    pub(super) fn weak_messages(&self) -> WeakSender<Message> {
        self.messages.downgrade()
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
