//! A received delivery, its report, and its recording in a file.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderValue};
use jiff::Timestamp;
use serde_json::json;
use webhook_verify::{EVENT_HEADER, EventKind};

use crate::commands::webhook::recording;
use crate::outcome::{Failure, Report, Result, View, cell};
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
        let bytes = recording::write(&event.path, &event.headers, &event.body);
        let written = written_file::write(&path, &bytes, Rules::Private);
        written.err().map(|error| not_recorded(&path, &error))
    }
}

fn not_recorded(path: &Path, error: &io::Error) -> String {
    format!("cannot record to {}: {error}", escaped(path))
}
