//! A received delivery: its report, its recording in a file, and the queue of deliveries to print.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderValue};
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use webhook_verify::{EVENT_HEADER, EventKind};

use crate::commands::webhook::send::write_recording;
use crate::outcome::{Failure, Report, Result, View, cell};
use crate::output::Output;
use crate::system::{Rules, private_file, written_file};
use crate::terminal::escaped;

/// A received delivery with its verification and the status code of the response.
pub(super) struct Event {
    pub(super) received_at: Timestamp,
    /// Without the query, which may be secret.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    /// Empty if the delivery is rejected.
    pub(super) body: Bytes,
    /// The `Content-Length` of the request, if present.
    pub(super) announced: Option<u64>,
    /// The warning if the kind in the body differs from the header, or the reason of a rejection.
    pub(super) verification: Result<Option<String>, String>,
    pub(super) status: StatusCode,
    /// The number of consecutive failures, as the service counts them.
    pub(super) consecutive_failures: u32,
    /// The reason why a verified delivery could not be recorded.
    pub(super) not_recorded: Option<String>,
    /// The number of rejected deliveries before this one that were not printed.
    pub(super) not_printed: u64,
}

impl Event {
    /// Returns the kind in the header, if the header is present once and valid.
    pub(super) fn kind(&self) -> Option<EventKind> {
        let mut values = self.headers.get_all(EVENT_HEADER).iter();
        let value = values.next().map(HeaderValue::as_bytes)?;
        let kind = EventKind::try_from(value).ok();
        kind.filter(|_| values.next().is_none())
    }

    /// Returns the report, which is printed as one line. It omits the body of a rejected delivery, so
    /// that no script processes it.
    pub(super) fn report(&self, has_payload: bool) -> Report {
        let kind = self.kind();
        let kind = kind.as_ref().map(EventKind::as_str);
        let (verdict, reason, bytes) = match &self.verification {
            Ok(_) => {
                let bytes = self.body.len() as u64;
                ("verified", self.not_recorded.as_deref(), Some(bytes))
            }
            Err(reason) => ("rejected", Some(reason.as_str()), self.announced),
        };
        let received_at = format!("{:.3}", self.received_at);
        let mut json = json!({
            "received_at": received_at,
            "event": kind,
            "verified": self.verification.is_ok(),
            "reason": reason,
            "status": self.status.as_u16(),
            "consecutive_failures": self.consecutive_failures,
            "bytes": bytes,
            "path": self.path,
        });
        if self.verification.is_ok() && has_payload {
            let (encoding, body) = match std::str::from_utf8(&self.body) {
                Ok(text) => ("utf-8", text.to_owned()),
                Err(_) => ("base64", BASE64_STANDARD.encode(&self.body)),
            };
            json["body_encoding"] = json!(encoding);
            json["body"] = json!(body);
        }
        let fields = [
            ("received_at", received_at),
            ("event", kind.unwrap_or_default().to_owned()),
            ("status", self.status.as_str().to_owned()),
            ("bytes", cell(bytes.as_ref())),
            ("verdict", verdict.to_owned()),
            ("reason", reason.unwrap_or_default().to_owned()),
            ("path", self.path.clone()),
        ];
        Report::new(json, View::fields(fields))
    }
}

/// A directory with a file for each delivery. A verified delivery is recorded before it is answered, so
/// that an acknowledged delivery can be replayed.
pub(super) struct Recorder {
    directory: PathBuf,
    recorded: AtomicU64,
    /// A part of the names that other processes do not use.
    process: u64,
}

impl Recorder {
    /// Creates the directory, and checks that files can be written there.
    pub(super) fn new(directory: &Path) -> Result<Self> {
        private_file::create_directory(directory)
            .and_then(|()| tempfile::tempfile_in(directory).map_err(written_file::without_path))
            .map_err(|error| Failure::other(not_recorded(directory, &error)))?;
        Ok(Self {
            directory: directory.to_owned(),
            recorded: AtomicU64::new(0),
            process: RandomState::new().hash_one(()) & 0xffff_ffff,
        })
    }

    /// Records the delivery. Returns the reason if that fails.
    pub(super) fn record(&self, event: &Event) -> Option<String> {
        // Sorts in the order of arrival.
        let received_at = event.received_at.strftime("%Y%m%dT%H%M%S%.3fZ");
        let number = self.recorded.fetch_add(1, Ordering::Relaxed) + 1;
        let kind = event.kind();
        let kind = kind.as_ref().map_or("unknown", EventKind::as_str);
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let kind: String = kind.chars().filter(is_plain).collect();
        let name = format!("{received_at}-{number:06}-{:08x}-{kind}.http", self.process);
        let path = self.directory.join(name);
        let bytes = write_recording(&event.path, &event.headers, &event.body);
        let written = written_file::write(&path, &bytes, Rules::Private);
        written.err().map(|error| not_recorded(&path, &error))
    }
}

fn not_recorded(path: &Path, error: &io::Error) -> String {
    format!("cannot record to {}: {error}", escaped(path))
}

/// The state of the command: the numbers of deliveries, and its end.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) verified: AtomicU64,
    pub(super) rejected: AtomicU64,
    /// Verified, and not forwarded so far.
    pub(super) waiting: AtomicU64,
    /// Not printed or not forwarded, because too many were waiting.
    pub(super) lost: AtomicU64,
    /// Notified when there are enough verified deliveries, or stdout is closed.
    pub(super) stop: Notify,
}

/// A message to print.
pub(super) enum Message {
    Delivered(Box<Event>),
    Warning(String),
}

/// Maximum number of items that wait.
const MAX_ITEMS: usize = 256;

/// Maximum size of the bodies that wait.
const MAX_BYTES: usize = 64 << 20;

/// An item; its bytes count until the permit is dropped.
pub(super) type Queued<T> = (T, OwnedSemaphorePermit);

/// The sending half of a queue.
pub(super) struct Queue<T> {
    items: mpsc::Sender<Queued<T>>,
    bytes: Arc<Semaphore>,
}

impl<T> Queue<T> {
    pub(super) fn new() -> (Arc<Self>, Receiver<Queued<T>>) {
        let (items, receiver) = mpsc::channel(MAX_ITEMS);
        let bytes = Arc::new(Semaphore::new(MAX_BYTES));
        (Arc::new(Self { items, bytes }), receiver)
    }

    /// Adds an item with a body of this size. Returns `false` if it does not fit. A larger body than all that may wait
    /// fits if no other one waits.
    pub(super) fn push(&self, item: T, size: usize) -> bool {
        let size = size.min(MAX_BYTES) as u32;
        let permit = Arc::clone(&self.bytes).try_acquire_many_owned(size);
        permit.is_ok_and(|permit| self.items.try_send((item, permit)).is_ok())
    }
}

/// The minimum time between lines about lost deliveries.
const LOSS_INTERVAL: Duration = Duration::from_secs(1);

/// A printer of messages.
pub(super) struct Reporter<'o> {
    pub(super) output: &'o Output,
    pub(super) prints_payloads: bool,
    pub(super) state: Arc<State>,
}

impl Reporter<'_> {
    /// Prints the messages of a queue. Ends the command if stdout is closed or cannot be written.
    pub(super) fn print(&self, mut messages: Receiver<Queued<Message>>) -> Result<()> {
        let mut result = Ok(());
        let (mut warned_at, mut warned_of) = (Instant::now(), 0);
        while let Some((message, _permit)) = messages.blocking_recv() {
            let printed = match message {
                Message::Delivered(event) => self.print_event(&event),
                Message::Warning(warning) => {
                    self.output.warn(&warning);
                    continue;
                }
            };
            if !matches!(printed, Ok(ControlFlow::Continue(()))) {
                self.state.stop.notify_one();
            }
            result = result.and(printed.map(drop));
            let lost = self.state.lost.load(Ordering::Relaxed);
            if lost > warned_of && warned_at.elapsed() >= LOSS_INTERVAL {
                self.output.warn(&loss(lost));
                (warned_at, warned_of) = (Instant::now(), lost);
            }
        }
        result
    }

    fn print_event(&self, event: &Event) -> Result<ControlFlow<()>> {
        let (output, not_printed) = (self.output, event.not_printed);
        if not_printed > 0 {
            output.note(&format!(
                "{not_printed} rejected deliveries were not printed"
            ));
        }
        let mut printed = output.stream(&event.report(self.prints_payloads))?;
        if printed.is_continue() && self.prints_payloads && event.verification.is_ok() {
            printed = output.stream_payload(&event.body)?;
        }
        if let (true, Ok(Some(warning))) = (printed.is_continue(), &event.verification) {
            output.warn(warning);
        }
        Ok(printed)
    }

    /// Prints what the command waits for when it ends.
    pub(super) fn wait(&self) {
        let what = match self.state.waiting.load(Ordering::Relaxed) {
            0 => "stdout and deliveries in progress".to_owned(),
            count => format!("{count} deliveries to be forwarded"),
        };
        let note = format!("waiting for {what}; press Ctrl-C to exit at once");
        self.output.note(&note);
    }

    /// Prints the totals.
    pub(super) fn end(&self) {
        let Self { output, state, .. } = self;
        let counts = [&state.verified, &state.rejected, &state.lost];
        let [verified, rejected, lost] = counts.map(|count| count.load(Ordering::Relaxed));
        if lost > 0 {
            output.warn(&loss(lost));
        }
        if !output.quiet {
            output.status(&format!("ended: {verified} verified, {rejected} rejected"));
        }
    }
}

fn loss(count: u64) -> String {
    format!(
        "{count} deliveries were not printed or not forwarded: stdout or the receiver is too slow"
    )
}
