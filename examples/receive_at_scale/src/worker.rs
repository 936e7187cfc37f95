//! The worker, which handles each event of the stream once.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::datetime::{self, DateTime};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::Info;
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at, sleep, timeout};
use tracing::{Instrument, error, error_span, warn};

use crate::metrics::attempts;
use crate::queue::{KIND_HEADER, WORKER_HEADER, text};
use crate::{DUPLICATE_WINDOW, Queue, QueueError};

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
    /// The sequence number in the stream, which is the same for redeliveries. It starts again at 1 if
    /// the stream is created again: see [`Event::identity`].
    pub sequence: u64,
    /// The time at which the broker stored the event, in nanoseconds since 1970.
    pub stored_at: i128,
    /// The event kind in the header of the delivery, which is not signed: use the kind in the body if
    /// there is one.
    pub unverified_kind: Option<String>,
}

impl Event {
    /// Returns the sequence number and the time at which the broker stored the event, for example
    /// `7-1767225600000000000`. No other event has the same, even if the stream is created again.
    ///
    /// Store it in the same transaction as the effect to apply each event exactly once.
    pub fn identity(&self) -> String {
        format!("{}-{}", self.sequence, self.stored_at)
    }

    fn key(&self) -> Identity {
        (self.sequence, self.stored_at)
    }
}

/// An error of a handler.
pub type HandlerError = Box<dyn Error + Send + Sync>;

/// The delays before an event whose handler failed is delivered again: each is twice as long as the
/// one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The delay after the first failure. The default is 500 milliseconds.
    pub first_delay: Duration,
    /// The maximum delay. The default is 10 minutes.
    pub max_delay: Duration,
    /// The number of attempts after which the event becomes a dead letter. The default is 442, which
    /// takes 3 days.
    pub max_attempts: i64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(10 * 60),
            max_attempts: 442,
        }
    }
}

impl RetryPolicy {
    /// Returns the delay after this attempt, counted from 1, or `None` to give up.
    pub(crate) fn delay(&self, attempt: i64) -> Option<Duration> {
        let doublings = u32::try_from(attempt - 1).unwrap_or_default().min(20);
        let delay = self.first_delay * 2_u32.pow(doublings);
        (attempt < self.max_attempts).then_some(delay.min(self.max_delay))
    }
}

/// Calls `handle` for each event until `stop` completes, and then waits for the running handlers, at
/// most [`STOP_TIMEOUT`].
///
/// Workers with the same `name` share the events; workers with another name receive all events
/// again. If a handler fails or panics, the event is redelivered after the delays of `retry`, and
/// then becomes a dead letter. It does so earlier if the broker would delete it before the next
/// attempt. Order is not preserved. An event is handled twice only if its worker dies or loses the
/// broker before the acknowledgement is confirmed, or if it waits for more than [`ACK_WAIT`] because
/// [`MAX_CONCURRENT`] handlers are running.
///
/// A handler must not block its thread: a few that do stop the worker, and keep it from ending. Use
/// [`tokio::task::spawn_blocking`] for what may block, as a write to stdout.
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
    for outcome in ["handled", "failed", "dead"] {
        attempts(name, outcome); // At 0.
    }
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

/// Creates the worker unless it exists, and requests its events. Also returns their stream.
async fn subscribe(queue: &Queue, name: &str) -> Result<(pull::Stream, Arc<Info>), QueueError> {
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
    let info = consumer.cached_info();
    if info.delivered.consumer_sequence == 0 && info.num_pending > 0 {
        let events = info.num_pending;
        warn!(
            worker = name,
            events, "the worker is new, and handles all stored events"
        );
    }
    let events = consumer.stream().max_messages_per_batch(MAX_CONCURRENT);
    let events = events.heartbeat(RETRY_DELAY).messages().await;
    let events = events.map_err(QueueError::during("request events"))?;
    Ok((events, Arc::new(stream.cached_info().clone())))
}

/// Receives events and spawns their handlers. Subscribes again after the connection is lost, and logs each
/// reason once.
async fn receive(worker: &Arc<Worker>, tasks: &mut JoinSet<()>) -> Infallible {
    let permits = Arc::new(Semaphore::new(MAX_CONCURRENT));
    let mut logged = String::new();
    loop {
        match subscribe(&worker.queue, &worker.name).await {
            Ok((mut messages, stream)) => {
                logged.clear();
                while let Some(Ok(message)) = messages.next().await {
                    let permit = permits.clone().acquire_owned().await;
                    let (worker, stream) = (worker.clone(), stream.clone());
                    tasks.spawn(async move {
                        let _permit = permit;
                        if let Some(delivery) = Delivery::new(message, stream) {
                            worker.process(&delivery).await;
                        }
                    });
                    while tasks.try_join_next().is_some() {}
                }
            }
            // The loss of the broker is in the log already.
            Err(error) if worker.queue.is_connected() && error.to_string() != logged => {
                warn!(%error, "trying again");
                logged = error.to_string();
            }
            Err(_) => {}
        }
        sleep(RETRY_DELAY).await;
    }
}

/// An event from the broker.
struct Delivery {
    event: Event,
    /// The number of this delivery of the event, counted from 1.
    attempt: i64,
    message: Message,
    stream: Arc<Info>,
    received: Instant,
}

impl Delivery {
    /// Returns `None` if it is not a message of the stream.
    fn new(message: Message, stream: Arc<Info>) -> Option<Self> {
        let info = message.info().ok()?;
        let event = Event {
            body: message.payload.clone(),
            sequence: info.stream_sequence,
            stored_at: info.published.unix_timestamp_nanos(),
            unverified_kind: text(message.headers.as_ref(), KIND_HEADER),
        };
        Some(Self {
            attempt: info.delivered,
            event,
            message,
            stream,
            received: Instant::now(),
        })
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
    async fn process(&self, delivery: &Delivery) {
        let worker = text(delivery.message.headers.as_ref(), WORKER_HEADER);
        if worker.is_some_and(|worker| worker != self.name) {
            return self.acknowledge(delivery).await; // A dead letter of another worker.
        }
        let event = &delivery.event;
        match self.with_events(|events| events.start(event.key(), Instant::now())) {
            Some(Progress::InProgress) => {}
            Some(Progress::Done) => self.acknowledge(delivery).await,
            // At the level of errors, so that every message has the sequence number.
            None => {
                let span = error_span!("event", sequence = event.sequence);
                self.handle(delivery).instrument(span).await;
            }
        }
    }

    async fn handle(&self, delivery: &Delivery) {
        let Delivery { event, message, .. } = delivery;
        let handled = async { report_progress(message, (self.handle)(event.clone())).await };
        // A panic counts as a failure, so that the event is redelivered.
        let reason = match AssertUnwindSafe(handled).catch_unwind().await {
            Ok(Ok(())) => {
                self.with_events(|events| events.finish(event.key(), Instant::now()));
                self.count("handled");
                return self.acknowledge(delivery).await;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the handler panicked".to_owned(),
        };
        self.fail(delivery, &reason).await;
    }

    /// Requests another delivery, or stores a dead letter.
    async fn fail(&self, delivery: &Delivery, reason: &str) {
        let (event, attempt) = (&delivery.event, delivery.attempt);
        self.with_events(|events| events.forget(event.key()));
        let max_age = delivery.stream.config.max_age;
        let age = datetime::now().unix_timestamp_nanos() - event.stored_at;
        let is_kept = |delay: &Duration| {
            max_age.is_zero() || age + delay.as_nanos() as i128 <= max_age.as_nanos() as i128
        };
        let delay = self.retry.delay(attempt).filter(is_kept);
        if delay.is_none() {
            let storing = self.queue.store_dead_letter(&self.name, event, reason);
            match storing.await {
                Ok(()) => {
                    let kept_until = rfc_3339(datetime::now() + max_age);
                    error!(error = reason, kept_until, "the event became a dead letter");
                    self.count("dead");
                    return self.acknowledge(delivery).await;
                }
                Err(error) => error!(%error, "could not store the dead letter"),
            }
        }
        let delay = delay.unwrap_or(self.retry.max_delay.min(ACK_WAIT));
        warn!(error = reason, attempt, ?delay, "the handler failed");
        self.count("failed");
        if self.is_of_the_same_stream(delivery).await {
            // If this message is lost, the broker redelivers the event after `ACK_WAIT`.
            let _ = delivery.message.ack_with(AckKind::Nak(Some(delay))).await;
        }
    }

    /// Acknowledges the event, and waits for the confirmation. Without it, the broker redelivers the
    /// event, and the worker acknowledges it again.
    async fn acknowledge(&self, delivery: &Delivery) {
        if self.is_of_the_same_stream(delivery).await {
            let _ = timeout(4 * RETRY_DELAY, delivery.message.double_ack()).await;
        }
    }

    /// Returns `false` if the stream was created again after the delivery: an acknowledgement contains
    /// only the sequence number, which another event may have by now. Waits for a broker that is absent.
    async fn is_of_the_same_stream(&self, delivery: &Delivery) -> bool {
        // A reconnect takes longer.
        if self.queue.is_connected() && delivery.received.elapsed() < RETRY_DELAY {
            return true;
        }
        let stream = async {
            loop {
                match self.queue.stream().await {
                    Ok(stream) => return stream.cached_info().created,
                    Err(_) => sleep(RETRY_DELAY).await,
                }
            }
        };
        timeout(ACK_WAIT, stream).await == Ok(delivery.stream.created)
    }

    fn count(&self, outcome: &str) {
        attempts(&self.name, outcome).inc();
    }

    fn with_events<T>(&self, change: impl FnOnce(&mut RecentEvents) -> T) -> T {
        change(&mut self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The sequence number of an event and the time at which the broker stored it: the number alone
/// identifies another event after the stream was created again.
type Identity = (u64, i128);

/// The progress of recent events, by their identity.
#[derive(Debug, Default)]
struct RecentEvents {
    done: VecDeque<(Instant, Identity)>,
    progress: HashMap<Identity, Progress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The event is being handled. Acknowledging it now would lose it if this process died.
    InProgress,
    /// The event was handled, but the broker may not have received the acknowledgement.
    Done,
}

impl RecentEvents {
    /// Marks a new event as in progress and returns `None`, or returns the progress of a known
    /// event.
    fn start(&mut self, event: Identity, now: Instant) -> Option<Progress> {
        while let Some((finished, event)) = self.done.front().copied()
            && now.duration_since(finished) > DUPLICATE_WINDOW
        {
            self.done.pop_front();
            self.progress.remove(&event);
        }
        let known = self.progress.get(&event).copied();
        if known.is_none() {
            self.progress.insert(event, Progress::InProgress);
        }
        known
    }

    /// Marks an event as done.
    fn finish(&mut self, event: Identity, now: Instant) {
        self.progress.insert(event, Progress::Done);
        self.done.push_back((now, event));
    }

    /// Forgets an event whose handler failed, so that it is handled again.
    fn forget(&mut self, event: Identity) {
        self.progress.remove(&event);
    }
}

/// Formats a time as in the log.
fn rfc_3339(time: DateTime) -> String {
    let (month, (hour, minute, second)) = (u8::from(time.month()), time.to_hms());
    let (year, day) = (time.year(), time.day());
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_maximum() {
        let second = Duration::from_secs(1);
        let policy = RetryPolicy {
            first_delay: second,
            max_delay: 5 * second,
            max_attempts: 6,
        };
        let delays: Vec<_> = (1..=6).map(|attempt| policy.delay(attempt)).collect();
        let expected = [Some(1), Some(2), Some(4), Some(5), Some(5), None];
        assert_eq!(
            delays,
            expected.map(|seconds| seconds.map(Duration::from_secs))
        );
        assert_eq!(policy.delay(i64::MAX), None);
    }

    #[test]
    fn retries_for_three_days_by_default() {
        let policy = RetryPolicy::default();
        let total: Duration = (1..).map_while(|attempt| policy.delay(attempt)).sum();
        let three_days = Duration::from_secs(3 * 24 * 60 * 60);
        assert!((three_days - policy.max_delay..three_days).contains(&total));
    }

    const FIRST: Identity = (1, 1_000);

    #[test]
    fn remembers_an_event_until_the_window_ends() {
        let (mut events, now) = (RecentEvents::default(), Instant::now());
        assert_eq!(events.start(FIRST, now), None);
        assert_eq!(events.start(FIRST, now), Some(Progress::InProgress));
        events.forget(FIRST);
        assert_eq!(events.start(FIRST, now), None);
        events.finish(FIRST, now);
        let end = now + DUPLICATE_WINDOW;
        assert_eq!(events.start(FIRST, end), Some(Progress::Done));
        assert_eq!(events.start((1, 2_000), end), None, "a new stream");
        assert_eq!(events.start(FIRST, end + DUPLICATE_WINDOW), None);
    }
}
