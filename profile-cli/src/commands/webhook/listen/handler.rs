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
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver as Messages, Sender as MessageSender, WeakSender, channel};
use webhook_verify::{Receiver, Verifier};

use super::event::{Event, Recorder, Verification};
use super::{ListenArguments, MAX_REJECTED};
use crate::commands::webhook::delivery::{Attempt, Sender};
use crate::commands::webhook::verify::{self, WebhookSecret};
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;

/// Maximum number of messages that wait to be printed.
const MAX_MESSAGES: usize = 1_000;

/// The timeout for a body, so that a slow sender cannot hold a connection.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

type EmptyResponse = Response<Empty<Bytes>>;

/// Handles requests; shared by all connections.
pub(super) struct Handler {
    receiver: Receiver,
    recorder: Option<Recorder>,
    forward_to: Option<Sender>,
    /// The number of verified deliveries that are still accepted.
    permits: AtomicU64,
    /// The number of rejected deliveries that are still answered.
    rejections: AtomicU64,
    /// Notified when one of these numbers is 0.
    has_enough: Notify,
    messages: MessageSender<Message>,
    dropped: Arc<AtomicU64>,
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
        arguments: &ListenArguments,
        session: &Session<'_>,
    ) -> Result<(Self, Messages<Message>), Failure> {
        let secret = WebhookSecret::load(session)?.secret()?;
        let to = arguments.forward_to.as_ref();
        let forward_to = to.map(|url| Sender::new(url, session)).transpose()?;
        let recorder = arguments.record.as_deref().map(Recorder::new).transpose()?;
        let (sender, messages) = channel(MAX_MESSAGES);
        let verifier = Verifier::new(secret)
            .encoding(arguments.encoding.digest)
            .body_limit(arguments.max_body);
        let handler = Self {
            receiver: Receiver::new(verifier),
            recorder,
            forward_to,
            permits: AtomicU64::new(arguments.max.unwrap_or(u64::MAX)),
            rejections: AtomicU64::new(
                arguments
                    .max
                    .map_or(u64::MAX, |max| max.saturating_mul(MAX_REJECTED)),
            ),
            has_enough: Notify::new(),
            messages: sender,
            dropped: Arc::default(),
        };
        Ok((handler, messages))
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
        let receiving = self.receiver.receive(&parts.headers, body);
        let received = tokio::time::timeout(BODY_TIMEOUT, receiving).await;
        let permits = match &received {
            Ok(Ok(_)) => &self.permits,
            Ok(Err(_)) | Err(_) => &self.rejections,
        };
        if !self.take_permit(permits) {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let (verification, body, status) = match received {
            Ok(Ok(verified)) => {
                let kind_mismatch = verify::kind_mismatch(&verified);
                let verification = Verification::Verified { kind_mismatch };
                (verification, verified.into_body(), StatusCode::NO_CONTENT)
            }
            Ok(Err(rejection)) => {
                let verification = Verification::Rejected(verify::rejection_reason(&rejection));
                (verification, Bytes::new(), rejection.status())
            }
            Err(_) => {
                let seconds = BODY_TIMEOUT.as_secs();
                let reason = format!("the body was not received within {seconds} seconds");
                let verification = Verification::Rejected(reason);
                (verification, Bytes::new(), StatusCode::REQUEST_TIMEOUT)
            }
        };
        let mut event = Event {
            received_at,
            headers: parts.headers,
            body,
            announced,
            verification,
            status,
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

    /// Takes a permit for a delivery. Returns `false` if none is left.
    fn take_permit(&self, permits: &AtomicU64) -> bool {
        let less = |permits: u64| permits.checked_sub(1);
        let taken = permits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if matches!(taken, Ok(1)) {
            self.has_enough.notify_one();
        }
        taken.is_ok()
    }

    /// Waits until there are enough verified deliveries. Fails if there are too many rejected ones.
    pub(super) async fn has_enough(&self) -> Result<(), Failure> {
        self.has_enough.notified().await;
        match self.permits.load(Ordering::Relaxed) {
            0 => Ok(()),
            missing => {
                let message = format!(
                    "too many deliveries were rejected; --max waits for {missing} more verified ones"
                );
                Err(Failure::new(FailureKind::Mismatch, message).hint("check the secret"))
            }
        }
    }

    /// Returns the number of deliveries that were not printed.
    pub(super) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dropped)
    }

    /// Returns the channel of the messages, without keeping it open.
    pub(super) fn weak_messages(&self) -> WeakSender<Message> {
        self.messages.downgrade()
    }

    /// Sends a message to print, unless too many wait.
    pub(super) fn report(&self, message: Message) {
        let is_delivery = matches!(message, Message::Delivered(_));
        if self.messages.try_send(message).is_err() && is_delivery {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn empty_response(status: StatusCode) -> EmptyResponse {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}
