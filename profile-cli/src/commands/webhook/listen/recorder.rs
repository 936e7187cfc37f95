//! Records verified deliveries before they are answered, so that an acknowledged delivery can be
//! replayed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use webhook_verify::EventKind;

use super::event::Event;
use crate::commands::webhook::recording;
use crate::outcome::failure::{Failure, FailureKind};
use crate::system::private_file;

/// A directory with a file for each delivery.
pub(super) struct Recorder {
    directory: PathBuf,
    recorded: AtomicU64,
}

impl Recorder {
    /// Creates the directory.
    pub(super) fn new(directory: &Path) -> Result<Self, Failure> {
        private_file::create_directory(directory)
            .map_err(|error| Failure::new(FailureKind::Other, not_recorded(directory, &error)))?;
        Ok(Self {
            directory: directory.to_owned(),
            recorded: AtomicU64::new(0),
        })
    }

    /// Records the delivery. Returns a warning if that fails.
    pub(super) fn record(&self, event: &Event) -> Option<String> {
        let path = self.directory.join(self.file_name(event));
        let bytes = recording::write(&event.headers, &event.body);
        let written = private_file::write(&path, &bytes);
        written.err().map(|error| not_recorded(&path, &error))
    }

    /// Returns a name that sorts in the order of arrival.
    fn file_name(&self, event: &Event) -> String {
        let received_at = event.received_at.strftime("%Y%m%dT%H%M%S%.3fZ");
        let number = self.recorded.fetch_add(1, Ordering::Relaxed) + 1;
        let kind = event.kind();
        let kind = kind.as_ref().map_or("unknown", EventKind::as_str);
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let kind: String = kind.chars().filter(is_plain).collect();
        format!("{received_at}-{number:06}-{kind}.http")
    }
}

fn not_recorded(path: &Path, error: &io::Error) -> String {
    format!("cannot record to {}: {error}", path.display())
}
