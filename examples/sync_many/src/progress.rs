//! How far the run is, on a terminal.

use std::io::{self, IsTerminal, Write};

use crate::Summary;

/// A line on stderr that is written over and over; nothing where stderr is no terminal.
///
/// ```
/// let progress = sync_many::Progress::on_stderr(20);
/// progress.show(&sync_many::Summary::default());
/// progress.end();
/// ```
#[derive(Debug)]
pub struct Progress {
    accounts: usize,
    shown: bool,
}

impl Progress {
    /// The progress of so many accounts.
    #[must_use]
    pub fn on_stderr(accounts: usize) -> Self {
        let shown = io::stderr().is_terminal();
        Self { accounts, shown }
    }

    /// Shows how far it is now.
    pub fn show(&self, summary: &Summary) {
        let text = format!(
            "\r{} of {}: {summary}\x1b[K",
            summary.accounts(),
            self.accounts
        );
        self.write(&text);
    }

    /// Takes the line away, for what is printed next.
    pub fn end(&self) {
        self.write("\r\x1b[K");
    }

    fn write(&self, text: &str) {
        if self.shown {
            // A terminal that is gone is no reason to stop.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
