//! Log lines on stderr.

use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// A thread that writes log lines to stderr, which may block.
pub(crate) struct Log {
    lines: SyncSender<Option<String>>,
    /// Notified when the thread ends.
    written: Receiver<()>,
}

impl Log {
    pub(crate) fn start() -> Self {
        const WAITING: usize = 1024;
        let (lines, waiting) = sync_channel::<Option<String>>(WAITING);
        let (ended, written) = sync_channel(1);
        thread::spawn(move || {
            while let Ok(Some(line)) = waiting.recv() {
                // Ignore a closed stderr.
                let _ = writeln!(io::stderr(), "{line}");
            }
            let _ = ended.send(());
        });
        Self { lines, written }
    }

    /// Returns a function that logs a line. If stderr blocks, lines are dropped so that requests are
    /// not delayed.
    pub(crate) fn writer(&self) -> impl Fn(fmt::Arguments<'_>) + Send + Sync + 'static {
        let lines = self.lines.clone();
        move |line| {
            let _ = lines.try_send(Some(line.to_string()));
        }
    }

    /// Gives the thread a moment to write the remaining lines.
    pub(crate) fn finish(self) {
        if self.lines.try_send(None).is_ok() {
            let _ = self.written.recv_timeout(Duration::from_millis(100));
        }
    }
}
