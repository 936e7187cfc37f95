//! The progress line on a terminal.

use std::io::{self, IsTerminal, Write};

use crate::Summary;

/// A progress line on stderr, which is updated in place. Does nothing if stderr is not a terminal.
///
/// ```
/// let progress = sync_many::Progress::on_stderr(20);
/// progress.show(&sync_many::Summary::default());
/// progress.clear();
/// ```
#[derive(Debug)]
pub struct Progress {
    accounts: usize,
    is_terminal: bool,
}

impl Progress {
    /// Creates a progress line for this number of accounts.
    #[must_use]
    pub fn on_stderr(accounts: usize) -> Self {
        Self {
            accounts,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Updates the line.
    pub fn show(&self, summary: &Summary) {
        let text = format!(
            "\r{} of {}: {summary}\x1b[K",
            summary.accounts(),
            self.accounts
        );
        self.write(&text);
    }

    /// Clears the line.
    pub fn clear(&self) {
        self.write("\r\x1b[K");
    }

    fn write(&self, text: &str) {
        if self.is_terminal {
            // A closed terminal must not stop the run.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
