//! The queue of verified bodies: a NATS JetStream stream, which the broker stores in a file.

mod messages;
mod settings;

pub use messages::{DeadLetter, MAX_HEADER_BYTES, MAX_PENDING_BYTES, STORE_TIMEOUT, StoreError};
pub(crate) use messages::{KIND_HEADER, WORKER_HEADER, text};
pub use settings::{QueueSettings, is_set, parse, shown};

use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::{
    ContextBuilder, CreateStreamErrorKind, GetStreamError, GetStreamErrorKind,
};
use async_nats::jetstream::stream::{Config, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{ConnectErrorKind, ConnectOptions};
use futures_util::TryStreamExt;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;
use tracing::{error, warn};

/// Period in which the broker detects duplicate events. It keeps their keys in memory.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Timeout of one attempt to publish.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Delay between attempts.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Minimum time between attempts to create missing streams.
const CREATE_INTERVAL: Duration = Duration::from_secs(1);

const DISCONNECTED: &str = "the broker is disconnected";

/// Time between the requests that detect a broker that hangs: after two without a response, the
/// connection is closed, and publishing fails at once.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// Errors for settings of a stream that no later attempt can change.
const REFUSALS: [ErrorCode; 4] = [
    ErrorCode::STREAM_SUBJECT_OVERLAP,
    ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED,
    ErrorCode::STREAM_INVALID_CONFIG,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
];

/// An error of a request to the broker.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not {action}: {cause}; expected a NATS server with JetStream that accepts the settings"
)]
pub struct QueueError {
    action: &'static str,
    cause: String,
    is_refusal: bool,
}

type Result<T, E = QueueError> = std::result::Result<T, E>;

impl QueueError {
    /// Returns a function that creates an error with its cause.
    pub(crate) fn during<E: ToString>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| Self::new(action, &cause, false)
    }

    fn new(action: &'static str, cause: &impl ToString, is_refusal: bool) -> Self {
        Self {
            action,
            cause: cause.to_string(),
            is_refusal,
        }
    }

    /// Returns `true` if the broker refuses the credentials or the settings of the stream, so that
    /// another attempt with the same settings cannot succeed.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }
}

/// The streams of a deployment.
struct Streams {
    events: Config,
    /// Its subject is a pattern for those of all workers.
    dead_letters: Config,
}

/// A connection to the broker, which reconnects automatically. Clones share it.
#[derive(Clone)]
pub struct Queue {
    context: Context,
    streams: Arc<Streams>,
    permits: Arc<Semaphore>,
    /// The settings of streams that the broker has lost, and the time of the last attempt to create
    /// them again.
    lost_streams: Option<Arc<(QueueSettings, Mutex<Option<Instant>>)>>,
}

impl Queue {
    /// Connects like [`Queue::connect`], and creates the streams, or updates their settings. Logs a
    /// warning if fewer servers than [`QueueSettings::stream_replicas`] store them, or if their version is 2.9.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] like [`Queue::connect`], or if the broker does not support JetStream, or
    /// refuses the settings.
    ///
    /// If the broker loses the streams later, the queue creates them again, and logs an error.
    ///
    /// ```no_run
    /// use receive_at_scale::{Queue, QueueSettings};
    ///
    /// # async fn open() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut settings = QueueSettings::new("nats://10.0.0.1")?;
    /// settings.stream_replicas = 3;
    /// let queue = Queue::open(settings).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(settings: QueueSettings) -> Result<Self> {
        let mut queue = Self::connect(&settings).await?;
        let streams = &queue.streams;
        for config in [&streams.events, &streams.dead_letters] {
            let updated = queue.context.create_or_update_stream(config.clone()).await;
            let info = updated.map_err(|error| {
                let is_refusal = matches!(error.kind(),
                    CreateStreamErrorKind::JetStream(cause) if REFUSALS.contains(&cause.kind()));
                QueueError::new("create or update the stream", &error, is_refusal)
            })?;
            if config.name == streams.events.name {
                settings.check_replicas(&info);
            }
        }
        let client = queue.context.client();
        if settings.stream_replicas > 1 && !client.is_server_compatible(2, 10, 0) {
            let version = client.server_info().version;
            warn!(
                version,
                "nats-server 2.9 can lose acknowledged events of a cluster; install 2.15"
            );
        }
        queue.lost_streams = Some(Arc::new((settings, Mutex::default())));
        Ok(queue)
    }

    /// Returns a queue that connects in the background, and rejects deliveries until then. The
    /// streams must exist, or [`Queue::open`] must create them. If the broker loses them, the queue creates
    /// them again.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the credentials or the certificate cannot be read.
    pub async fn connect_in_background(settings: &QueueSettings) -> Result<Self> {
        let options = settings.connect_options().await?;
        let options = options.retry_on_initial_connect();
        let mut queue = Self::connect_with(options, settings).await?;
        queue.lost_streams = Some(Arc::new((settings.clone(), Mutex::default())));
        Ok(queue)
    }

    /// Connects to the broker, whose streams exist. Logs the loss and the return of the broker, and errors
    /// that it reports, such as a missing permission.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the credentials or the certificate cannot be read, or if the broker
    /// cannot be reached.
    pub async fn connect(settings: &QueueSettings) -> Result<Self> {
        Self::connect_with(settings.connect_options().await?, settings).await
    }

    async fn connect_with(options: ConnectOptions, settings: &QueueSettings) -> Result<Self> {
        let connected = options.connect(&settings.nats_url[..]).await;
        let client = connected.map_err(|error| {
            let is_refusal = error.kind() == ConnectErrorKind::AuthorizationViolation;
            QueueError::new("connect to the broker", &error, is_refusal)
        })?;
        let context = ContextBuilder::new()
            .timeout(ATTEMPT_TIMEOUT)
            .ack_timeout(ATTEMPT_TIMEOUT)
            .build(client);
        let permits = Arc::new(Semaphore::new(messages::PERMITS));
        Ok(Self {
            context,
            streams: Arc::new(settings.streams()),
            permits,
            lost_streams: None,
        })
    }

    /// Returns `true` if the queue accepts another delivery and the stream has a leader, which the
    /// broker is asked for. A full stream is ready.
    pub async fn is_ready(&self) -> bool {
        self.permits.available_permits() > 0 && self.stream().await.is_ok()
    }

    /// Returns the events that the worker with this name has not handled.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond, or the worker does not exist.
    pub async fn backlog(&self, worker: &str) -> Result<Backlog> {
        let stream = self.stream().await?;
        let info = stream.consumer_info(worker).await;
        let info = info.map_err(QueueError::during("look up the worker"))?;
        Ok(Backlog {
            waiting: info.num_pending,
            unfinished: info.num_ack_pending as u64,
            dead_letters: self.count_dead_letters(worker).await?,
        })
    }

    /// Returns the names of the workers that have ever connected.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond.
    pub async fn workers(&self) -> Result<Vec<String>> {
        let names = self.stream().await?.consumer_names().try_collect().await;
        names.map_err(QueueError::during("list the workers"))
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.context.client().connection_state() == State::Connected
    }

    /// Returns a random identifier.
    pub(crate) fn new_id(&self) -> String {
        self.context.client().new_inbox().replace("_INBOX.", "")
    }

    /// Returns the stream of events. Fails at once while the broker is disconnected.
    pub(crate) async fn stream(&self) -> Result<Stream> {
        self.look_up(&self.streams.events.name, "look up the stream")
            .await
    }

    /// Returns the stream of dead letters.
    async fn dead_stream(&self) -> Result<Stream> {
        let name = &self.streams.dead_letters.name;
        self.look_up(name, "look up the stream of dead letters")
            .await
    }

    async fn look_up(&self, name: &str, action: &'static str) -> Result<Stream> {
        if !self.is_connected() {
            return Err(QueueError::during(action)(DISCONNECTED));
        }
        let mut found = self.context.get_stream(name).await;
        if found.as_ref().is_err_and(is_missing) {
            self.create_lost_streams().await;
            found = self.context.get_stream(name).await;
        }
        found.map_err(QueueError::during(action))
    }

    /// Creates the streams that the broker has lost, unless the last attempt was less than
    /// [`CREATE_INTERVAL`] ago.
    async fn create_lost_streams(&self) {
        let Some((settings, last_attempt)) = self.lost_streams.as_deref() else {
            return;
        };
        let mut last_attempt = last_attempt.lock().await;
        if last_attempt.is_some_and(|last| last.elapsed() < CREATE_INTERVAL) {
            return;
        }
        *last_attempt = Some(Instant::now());
        let mut created = Vec::new();
        for config in [&self.streams.events, &self.streams.dead_letters] {
            let name = &config.name;
            match self.context.get_stream(name).await {
                Ok(stream) => settings.check_replicas(stream.cached_info()),
                Err(error) if is_missing(&error) => {
                    if let Err(error) = self.context.create_stream(config.clone()).await {
                        return error!(%error, stream = name, "could not create a missing stream");
                    }
                    created.push(name);
                }
                Err(_) => return, // The caller reports it.
            }
        }
        if !created.is_empty() {
            error!(streams = ?created, "created missing streams; their events are lost");
        }
    }
}

/// The events that a worker has not handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Events that were not delivered to the worker yet.
    pub waiting: u64,
    /// Events that are being handled, or wait for the next attempt.
    pub unfinished: u64,
    /// Events that failed permanently.
    pub dead_letters: u64,
}

fn is_missing(error: &GetStreamError) -> bool {
    matches!(error.kind(), GetStreamErrorKind::JetStream(cause)
        if cause.error_code() == ErrorCode::STREAM_NOT_FOUND)
}
