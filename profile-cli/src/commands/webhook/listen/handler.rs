//! Verifies and answers each request, and sends the news of it to the task that prints them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, EXPECT, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use webhook_verify::{Receiver, Rejection, Verified, Verifier};

use super::event::{Event, Judgement};
use super::{Ack, WebhookListenArguments};
use crate::commands::webhook::delivery::Delivery;
use crate::commands::webhook::refusal;
use crate::commands::webhook::secret::WebhookSecret;
use crate::commands::webhook::sender::{Outcome, Sender};
use crate::outcome::failure::Failure;
use crate::session::Session;

/// The time limit for a body, so that a slow sender does not hold a connection.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

type Answer = Response<Empty<Bytes>>;

/// Answers requests; shared by all connections.
pub(super) struct Handler {
    receiver: Receiver,
    forward: Option<Forward>,
    /// How many deliveries more are taken.
    places: AtomicU64,
    news: UnboundedSender<News>,
}

struct Forward {
    to: Sender,
    ack: Ack,
}

/// What there is to tell.
pub(super) enum News {
    Delivered(Box<Event>),
    /// What came of passing on what had been answered before.
    Forwarded {
        kind: String,
        outcome: Outcome,
    },
}

impl Handler {
    pub(super) fn new(
        arguments: &WebhookListenArguments,
        session: &Session<'_>,
    ) -> Result<(Self, UnboundedReceiver<News>), Failure> {
        let secret = WebhookSecret::load(session)?.secret()?;
        let ack = arguments.ack;
        let to = arguments.forward_to.as_ref();
        let forward = to.map(|url| Sender::new(url, session).map(|to| Forward { to, ack }));
        let (sender, news) = unbounded_channel();
        let verifier = Verifier::new(secret)
            .encoding(arguments.encoding.of_digest())
            .body_limit(arguments.max_body);
        let handler = Self {
            receiver: Receiver::new(verifier),
            forward: forward.transpose()?,
            places: AtomicU64::new(arguments.max.unwrap_or(u64::MAX)),
            news: sender,
        };
        Ok((handler, news))
    }

    /// Answers one request.
    pub(super) async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Answer, Infallible> {
        if request.method() != Method::POST {
            tracing::info!("rejected a {} request with 405", request.method());
            let mut answer = answer(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = HeaderValue::from_static("POST");
            answer.headers_mut().insert(ALLOW, allowed);
            return Ok(answer);
        }
        // A task of its own, so that a sender that goes away takes nothing with it.
        let taken = tokio::spawn(self.take(request));
        Ok(answer(
            taken.await.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        ))
    }

    /// Takes a delivery, and gives the status to answer it with.
    async fn take(self: Arc<Self>, request: Request<Incoming>) -> StatusCode {
        let received_at = Timestamp::now();
        let (parts, mut body) = request.into_parts();
        let announced = body.size_hint().exact();
        let receiving = self.receive(&parts.headers, &mut body);
        let received = tokio::time::timeout(BODY_TIMEOUT, receiving).await;
        if !self.take_place() {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let (judgement, body, answered) = match received {
            Ok(Ok(verified)) => {
                let other_kind = refusal::other_kind(&verified);
                let judgement = Judgement::Verified { other_kind };
                (judgement, verified.into_body(), StatusCode::NO_CONTENT)
            }
            Ok(Err(refusal)) => {
                let judgement = Judgement::Refused(refusal::of_request(&refusal));
                (judgement, Bytes::new(), refusal.status())
            }
            Err(_) => {
                let seconds = BODY_TIMEOUT.as_secs();
                let reason = format!("the body was not received within {seconds} seconds");
                let judgement = Judgement::Refused(reason);
                (judgement, Bytes::new(), StatusCode::REQUEST_TIMEOUT)
            }
        };
        let mut event = Event {
            received_at,
            headers: parts.headers,
            body,
            announced,
            judgement,
            answered,
        };
        let delivery = event.is_verified().then(|| event.delivery());
        let forward = self.forward.as_ref().zip(delivery);
        match forward {
            Some((forward, delivery)) if forward.ack == Ack::After => {
                let outcome = forward.to.post(&delivery).await;
                event.answered = passed_back(&outcome);
                self.tell(News::Delivered(Box::new(event)));
                self.tell_forwarded(&delivery, outcome)
            }
            forward => {
                let status = event.answered;
                self.tell(News::Delivered(Box::new(event)));
                if let Some((_, delivery)) = forward {
                    tokio::spawn(self.clone().pass_on(delivery));
                }
                status
            }
        }
    }

    /// Verifies a delivery. What a refusal leaves unread of the body is read and dropped: a sender
    /// that is still writing would not see the answer.
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: &mut Incoming,
    ) -> Result<Verified<Bytes>, Rejection> {
        let received = self.receiver.receive(headers, &mut *body).await;
        // A sender that waits for `100 Continue` sends no body that is already refused.
        if received.is_err() && !headers.contains_key(EXPECT) {
            while let Some(Ok(_)) = body.frame().await {}
        }
        received
    }

    async fn pass_on(self: Arc<Self>, delivery: Delivery) {
        if let Some(forward) = &self.forward {
            let outcome = forward.to.post(&delivery).await;
            self.tell_forwarded(&delivery, outcome);
        }
    }

    fn tell_forwarded(&self, delivery: &Delivery, outcome: Outcome) -> StatusCode {
        let status = passed_back(&outcome);
        let kind = delivery.kind();
        self.tell(News::Forwarded { kind, outcome });
        status
    }

    /// Whether another delivery is taken; if so, it has its place.
    fn take_place(&self) -> bool {
        let less = |places: u64| places.checked_sub(1);
        self.places
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    fn tell(&self, news: News) {
        // Nobody listens any more when the output has failed, and that has been told.
        let _ = self.news.send(news);
    }
}

/// The status for the service, of what came of passing on.
fn passed_back(outcome: &Outcome) -> StatusCode {
    let status = outcome.answer.as_ref().ok();
    status
        .and_then(|status| StatusCode::from_u16(*status).ok())
        .unwrap_or(StatusCode::BAD_GATEWAY)
}

fn answer(status: StatusCode) -> Answer {
    let mut answer = Response::new(Empty::new());
    *answer.status_mut() = status;
    answer
}
