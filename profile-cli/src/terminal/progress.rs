//! How far long work has come: one line on a terminal's stderr, nothing elsewhere.

use std::io::{self, IsTerminal as _, Write as _};

/// The work on several things of which each takes its time.
pub(crate) struct Progress {
    label: &'static str,
    total: usize,
    done: usize,
    shown: bool,
}

impl Progress {
    /// Begins to show `label` so many things, unless it is one alone or nobody is to be told.
    pub(crate) fn begin(label: &'static str, total: usize, quiet: bool) -> Self {
        let shown = total > 1 && !quiet && io::stderr().is_terminal();
        let progress = Self {
            label,
            total,
            done: 0,
            shown,
        };
        progress.show();
        progress
    }

    /// One more is done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        self.show();
    }

    /// Prints something above the line that shows how far the work has come.
    #[cfg(feature = "webhook")]
    pub(crate) fn above<T>(&self, print: impl FnOnce() -> T) -> T {
        self.clear();
        let printed = print();
        self.show();
        printed
    }

    fn clear(&self) {
        if self.shown {
            write_to_stderr("\r\x1b[K");
        }
    }

    fn show(&self) {
        if self.shown {
            let Self {
                label, done, total, ..
            } = self;
            write_to_stderr(&format!("\r{label}: {done} of {total}"));
        }
    }
}

impl Drop for Progress {
    /// Takes the line away, so that what comes next begins on a clean one.
    fn drop(&mut self) {
        self.clear();
    }
}

/// Nothing depends on whether a person sees it.
fn write_to_stderr(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
