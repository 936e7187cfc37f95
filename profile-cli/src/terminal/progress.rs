//! A progress line on stderr.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};

use profile_sdk::internal::longest_start;
use unicode_width::UnicodeWidthStr as _;

use super::{Blocking, DEFAULT_WIDTH, measured_width, printable, understands_sequences};

/// The progress of work on several items, if stderr can replace lines.
pub(crate) struct Progress {
    label: &'static str,
    total: usize,
    done: usize,
    line: Option<StatusLine>,
}

impl Progress {
    /// Starts showing progress, unless there is only one item or `quiet` is set.
    pub(crate) fn begin(label: &'static str, total: usize, quiet: bool) -> Self {
        let shown = total > 1 && !quiet && replaces_lines();
        let progress = Self {
            label,
            total,
            done: 0,
            line: shown.then(StatusLine::new),
        };
        progress.show();
        progress
    }

    /// Counts one item as done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        self.show();
    }

    /// Runs a function that prints above the progress line.
    #[cfg(feature = "webhook")]
    pub(crate) fn above<T>(&self, print: impl FnOnce() -> T) -> T {
        if let Some(line) = &self.line {
            line.show("");
        }
        let printed = print();
        self.show();
        printed
    }

    fn show(&self) {
        if let Some(line) = &self.line {
            line.show(&format!("{}: {} of {}", self.label, self.done, self.total));
        }
    }
}

/// A line on stderr, which is cleared when dropped.
pub(crate) struct StatusLine(RefCell<String>);

impl StatusLine {
    pub(crate) fn new() -> Self {
        Self(RefCell::default())
    }

    /// Replaces the text of the line, if it changes, and cuts it off at the width of the terminal.
    pub(crate) fn show(&self, text: &str) {
        let columns = measured_width().unwrap_or(DEFAULT_WIDTH);
        let text = fitting(text, columns);
        if *self.0.borrow() == text {
            return;
        }
        let mut stderr = Blocking(io::stderr().lock());
        // There is no other place to report an error.
        let _ = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
        self.0.replace(text);
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.show("");
    }
}

/// Returns `true` if stderr is a terminal on which a line can be replaced.
pub(crate) fn replaces_lines() -> bool {
    io::stderr().is_terminal() && understands_sequences()
}

/// Returns the start of the text that is narrower than the columns.
fn fitting(text: &str, columns: usize) -> String {
    longest_start(&printable(text), |start| start.width() < columns).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::terminal::progress::fitting;

    #[test]
    fn a_status_line_with_wide_characters_does_not_wrap() {
        assert_eq!(fitting("waiting", 80), "waiting");
        assert_eq!(fitting("waiting", 7), "waitin");
        assert_eq!(fitting("日本語", 6), "日本");
        assert_eq!(fitting("☁\u{fe0f}☁\u{fe0f}", 4), "☁\u{fe0f}");
        assert_eq!(fitting("e\u{301}e\u{301}", 2), "e\u{301}");
        assert_eq!(
            fitting("👩\u{200d}👩\u{200d}👧x", 3),
            "👩\u{200d}👩\u{200d}👧"
        );
        assert_eq!(fitting("a", 0), "");
    }
}
