//! Works the stream: hands each event on once, and tells the broker when it is done.

use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at, sleep, timeout};

use crate::handed_on::{HandedOn, Progress};
use crate::{DUPLICATE_WINDOW, Queue, QueueError};

/// How long the broker waits for word of an event before it offers it again. While an event is
/// handled, word is sent three times as often. What was under way to a worker when the connection
/// was lost comes after so long.
pub const ACK_WAIT: Duration = Duration::from_secs(10);

/// How often an event is offered, so that one that nobody can handle does not come for ever. After
/// that it stays in the stream, where its sequence finds it: let `handle` log what fails.
pub const MAX_DELIVERIES: i64 = 10;

/// How many events one worker handles at once. Up to as many again wait in its memory.
pub const AT_ONCE: usize = 64;

/// The pause before an event is offered again whose handling failed, and before a broker that does
/// not answer is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// One event, as it is handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The body that the service signed.
    pub body: Bytes,
    /// Its place in the stream, which is the same whenever it is offered: store it in the same
    /// transaction as the effect, and no crash will apply an event twice.
    pub sequence: u64,
}

/// Why an event could not be handled.
pub type HandlingError = Box<dyn Error + Send + Sync>;

/// Hands events to `handle` until `stop` is done, and then finishes those that are under way.
///
/// Workers of one `name` share the events between them; each name sees all. An event whose handling
/// fails or panics is offered again. Order is not kept. An event is handed on a second time only when its
/// worker died, or lost the broker for good, before its acknowledgement was confirmed.
///
/// # Errors
///
/// [`QueueError`] when the stream cannot be worked from the beginning; later the broker is waited for.
///
/// ```no_run
/// use receive_at_scale::{Event, Queue, work};
///
/// # async fn run() -> Result<(), receive_at_scale::QueueError> {
/// let queue = Queue::open("nats://127.0.0.1:4222").await?;
/// let handle = |event: Event| async move {
///     println!("{} bytes", event.body.len());
///     Ok(())
/// };
/// work(&queue, "mailer", handle, std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
pub async fn work<F, H>(
    queue: &Queue,
    name: &str,
    handle: F,
    stop: impl Future<Output = ()>,
) -> Result<(), QueueError>
where
    F: Fn(Event) -> H + Send + Sync + 'static,
    H: Future<Output = Result<(), HandlingError>> + Send + 'static,
{
    let consumer = consumer(queue, name).await?;
    let work = Arc::new(Work {
        handle,
        handed_on: Mutex::new(HandedOn::new(DUPLICATE_WINDOW)),
    });
    let mut under_way = JoinSet::new();
    tokio::select! {
        never = offer(&consumer, &work, &mut under_way) => match never {},
        () = stop => {}
    }
    while under_way.join_next().await.is_some() {}
    Ok(())
}

async fn consumer(queue: &Queue, name: &str) -> Result<PullConsumer, QueueError> {
    let config = pull::Config {
        durable_name: Some(name.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_deliver: MAX_DELIVERIES,
        ..pull::Config::default()
    };
    let stream = queue.stream().await?;
    let created = stream.get_or_create_consumer(name, config).await;
    created.map_err(|reason| QueueError::new("create the worker", reason))
}

/// Takes events as the broker offers them, and asks anew when it has gone and come back.
async fn offer<F, H>(
    consumer: &PullConsumer,
    work: &Arc<Work<F>>,
    under_way: &mut JoinSet<()>,
) -> std::convert::Infallible
where
    F: Fn(Event) -> H + Send + Sync + 'static,
    H: Future<Output = Result<(), HandlingError>> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let offered = consumer.stream().max_messages_per_batch(AT_ONCE);
        if let Ok(mut messages) = offered.heartbeat(PAUSE).messages().await {
            while let Some(Ok(message)) = messages.next().await {
                let place = places.clone().acquire_owned().await;
                let work = work.clone();
                under_way.spawn(async move {
                    let _place = place;
                    work.take(&message).await;
                });
                while under_way.try_join_next().is_some() {}
            }
        }
        sleep(PAUSE).await;
    }
}

struct Work<F> {
    handle: F,
    handed_on: Mutex<HandedOn>,
}

impl<F, H> Work<F>
where
    F: Fn(Event) -> H,
    H: Future<Output = Result<(), HandlingError>>,
{
    async fn take(&self, message: &Message) {
        let Ok(sequence) = message.info().map(|info| info.stream_sequence) else {
            return; // Not from the stream, so there is nothing to acknowledge.
        };
        let before = self.handed_on(|known| known.begin(sequence, Instant::now()));
        match before {
            Some(Progress::UnderWay) => {}
            Some(Progress::Done) => acknowledge(message).await,
            None => self.hand_on(message, sequence).await,
        }
    }

    async fn hand_on(&self, message: &Message, sequence: u64) {
        let body = message.payload.clone();
        let handled = async {
            let handling = (self.handle)(Event { body, sequence });
            telling_progress(message, handling).await
        };
        // An event over which `handle` panics has to be offered again like any other that fails.
        match AssertUnwindSafe(handled).catch_unwind().await {
            Ok(Ok(())) => {
                self.handed_on(|known| known.finish(sequence, Instant::now()));
                acknowledge(message).await;
            }
            Ok(Err(_)) | Err(_) => {
                self.handed_on(|known| known.give_back(sequence));
                // Without this word the broker offers it again all the same, but later.
                let _ = message.ack_with(AckKind::Nak(Some(PAUSE))).await;
            }
        }
    }

    fn handed_on<T>(&self, change: impl FnOnce(&mut HandedOn) -> T) -> T {
        change(
            &mut self
                .handed_on
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

/// Waits until the broker has confirmed. If it does not, it offers the event again, which is then
/// known to be done.
async fn acknowledge(message: &Message) {
    let _ = timeout(4 * PAUSE, message.double_ack()).await;
}

async fn telling_progress<H>(message: &Message, handling: H) -> Result<(), HandlingError>
where
    H: Future<Output = Result<(), HandlingError>>,
{
    let mut handling = pin!(handling);
    let mut due = interval_at(Instant::now() + ACK_WAIT / 3, ACK_WAIT / 3);
    loop {
        tokio::select! {
            outcome = &mut handling => return outcome,
            // If it does not get through, the event is offered again and known to be under way.
            _ = due.tick() => drop(message.ack_with(AckKind::Progress).await),
        }
    }
}
