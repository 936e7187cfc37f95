//! The worker, which handles each event of the stream once.

use std::convert::Infallible;
use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::message::Info;
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at, sleep, timeout};
use tracing::{Instrument, error, error_span, warn};

use crate::metrics::ATTEMPTS;
use crate::queue::{KIND_HEADER, WORKER_HEADER, text};
use crate::recent_events::{Progress, RecentEvents};
use crate::{Queue, QueueError, RetryPolicy};

/// Time without progress after which the broker redelivers an event. Workers report progress three
/// times as often.
pub const ACK_WAIT: Duration = Duration::from_secs(10);

/// Maximum number of events that a worker handles at once. It buffers up to as many more.
pub const MAX_CONCURRENT: usize = 64;

/// Maximum time to wait for running handlers when a worker stops.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum number of events that are being handled or wait for the next attempt. While all of them
/// fail, new events wait in the stream.
const MAX_UNFINISHED: i64 = 10_000;

/// Delay before a reconnect.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// A verified event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The signed body.
    pub body: Bytes,
    /// The sequence number in the stream, which is the same for redeliveries. Store it in the same
    /// transaction as the effect to apply each event exactly once.
    pub sequence: u64,
    /// The event kind in the header of the delivery. The signature does not cover it: anyone with
    /// one signed delivery can resend it as another kind.
    pub unverified_kind: Option<String>,
}

/// An error of a handler.
pub type HandlerError = Box<dyn Error + Send + Sync>;

/// Calls `handle` for each event until `stop` completes, and then waits for the running handlers, at
/// most [`STOP_TIMEOUT`].
///
/// Workers with the same `name` share the events; workers with another name receive all events
/// again. If a handler fails or panics, the event is redelivered after the delays of `retry`, and
/// then becomes a dead letter. Order is not preserved. An event is handled twice only if its worker
/// dies or loses the broker before the acknowledgement is confirmed, or if it waits for more than
/// [`ACK_WAIT`] because [`MAX_CONCURRENT`] handlers are running.
///
/// While the broker is absent, or cannot create the worker, it logs the reason and tries again.
///
/// ```no_run
/// use receive_at_scale::{Event, Queue, QueueSettings, RetryPolicy, work};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let queue = Queue::open(QueueSettings::new("nats://127.0.0.1:4222")?).await?;
/// let handle = |event: Event| async move {
///     println!("{} bytes", event.body.len());
///     Ok(())
/// };
/// work(&queue, "mailer", RetryPolicy::default(), handle, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub async fn work<F, H>(
    queue: &Queue,
    name: &str,
    retry: RetryPolicy,
    handle: F,
    stop: impl Future<Output = ()>,
) where
    F: Fn(Event) -> H + Send + Sync + 'static,
    H: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    let worker = Arc::new(Worker {
        queue: queue.clone(),
        name: name.to_owned(),
        retry,
        handle: Box::new(move |event| handle(event).boxed()),
        events: Mutex::default(),
    });
    let mut tasks = JoinSet::new();
    tokio::select! {
        never = receive(&worker, &mut tasks) => match never {},
        () = stop => {}
    }
    let finished = async { while tasks.join_next().await.is_some() {} };
    // Handlers that take longer are cancelled; their events are redelivered.
    let _ = timeout(STOP_TIMEOUT, finished).await;
}

/// Creates the worker unless it exists, and requests its events.
async fn subscribe(queue: &Queue, name: &str) -> Result<pull::Stream, QueueError> {
    let config = pull::Config {
        durable_name: Some(name.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // The worker gives up by itself, and stores a dead letter.
        max_deliver: -1,
        max_ack_pending: MAX_UNFINISHED,
        ..pull::Config::default()
    };
    let stream = queue.stream().await?;
    let created = stream.create_consumer(config).await;
    let consumer = created.map_err(QueueError::during("create the worker"))?;
    let events = consumer.stream().max_messages_per_batch(MAX_CONCURRENT);
    let events = events.heartbeat(RETRY_DELAY).messages().await;
    events.map_err(QueueError::during("request events"))
}

/// Receives events and spawns their handlers. Subscribes again after the connection is lost.
async fn receive(worker: &Arc<Worker>, tasks: &mut JoinSet<()>) -> Infallible {
    let permits = Arc::new(Semaphore::new(MAX_CONCURRENT));
    loop {
        let subscribed = subscribe(&worker.queue, &worker.name).await;
        match subscribed {
            Ok(mut messages) => {
                while let Some(Ok(message)) = messages.next().await {
                    let permit = permits.clone().acquire_owned().await;
                    let worker = worker.clone();
                    tasks.spawn(async move {
                        let _permit = permit;
                        worker.process(&message).await;
                    });
                    while tasks.try_join_next().is_some() {}
                }
            }
            // The loss of the broker is in the log already.
            Err(error) if worker.queue.is_connected() => warn!(%error, "trying again"),
            Err(_) => {}
        }
        sleep(RETRY_DELAY).await;
    }
}

type Handler = dyn Fn(Event) -> BoxFuture<'static, Result<(), HandlerError>> + Send + Sync;

struct Worker {
    queue: Queue,
    name: String,
    retry: RetryPolicy,
    handle: Box<Handler>,
    events: Mutex<RecentEvents>,
}

impl Worker {
    async fn process(&self, message: &Message) {
        let Ok(info) = message.info() else {
            return; // Not a message of the stream.
        };
        let sequence = info.stream_sequence;
        let worker = text(message.headers.as_ref(), WORKER_HEADER);
        if worker.is_some_and(|worker| worker != self.name) {
            return acknowledge(message).await; // A dead letter of another worker.
        }
        match self.with_events(|events| events.start(sequence, Instant::now())) {
            Some(Progress::InProgress) => {}
            Some(Progress::Done) => acknowledge(message).await,
            // At the level of errors, so that every message has the sequence number.
            None => {
                let span = error_span!("event", sequence);
                self.handle(message, info).instrument(span).await;
            }
        }
    }

    async fn handle(&self, message: &Message, info: Info<'_>) {
        let sequence = info.stream_sequence;
        let event = Event {
            body: message.payload.clone(),
            sequence,
            unverified_kind: text(message.headers.as_ref(), KIND_HEADER),
        };
        let handled = async { report_progress(message, (self.handle)(event)).await };
        // A panic counts as a failure, so that the event is redelivered.
        match AssertUnwindSafe(handled).catch_unwind().await {
            Ok(Ok(())) => {
                self.with_events(|events| events.finish(sequence, Instant::now()));
                self.count("handled");
                acknowledge(message).await;
            }
            Ok(Err(error)) => self.fail(message, &info, &error.to_string()).await,
            Err(_) => self.fail(message, &info, "the handler panicked").await,
        }
    }

    /// Requests another delivery, or stores a dead letter.
    async fn fail(&self, message: &Message, info: &Info<'_>, reason: &str) {
        let sequence = info.stream_sequence;
        self.with_events(|events| events.forget(sequence));
        let delay = self.retry.delay(info.delivered);
        if delay.is_none() {
            let queue = &self.queue;
            let storing = queue.store_dead_letter(&self.name, message, sequence, reason);
            match storing.await {
                Ok(()) => {
                    error!(error = reason, "the event became a dead letter");
                    self.count("dead");
                    return acknowledge(message).await;
                }
                Err(error) => error!(%error, "could not store the dead letter"),
            }
        }
        let delay = delay.unwrap_or(self.retry.max_delay);
        let attempt = info.delivered;
        warn!(error = reason, attempt, ?delay, "the handler failed");
        self.count("failed");
        // If this message is lost, the broker redelivers the event after `ACK_WAIT`.
        let _ = message.ack_with(AckKind::Nak(Some(delay))).await;
    }

    fn count(&self, outcome: &str) {
        ATTEMPTS
            .with_label_values(&[self.name.as_str(), outcome])
            .inc();
    }

    fn with_events<T>(&self, change: impl FnOnce(&mut RecentEvents) -> T) -> T {
        change(&mut self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Acknowledges the event, and waits for the confirmation. Without it, the broker redelivers the
/// event, and the worker acknowledges it again.
async fn acknowledge(message: &Message) {
    let _ = timeout(4 * RETRY_DELAY, message.double_ack()).await;
}

/// Runs the handler, and reports progress to the broker meanwhile.
async fn report_progress(
    message: &Message,
    mut handler: BoxFuture<'static, Result<(), HandlerError>>,
) -> Result<(), HandlerError> {
    let mut due = interval_at(Instant::now() + ACK_WAIT / 3, ACK_WAIT / 3);
    loop {
        tokio::select! {
            outcome = &mut handler => return outcome,
            // If this message is lost, the event is redelivered and found to be in progress.
            _ = due.tick() => drop(message.ack_with(AckKind::Progress).await),
        }
    }
}
