//! Runs the program on a pseudo terminal.

#[cfg_attr(unix, path = "pseudo_terminal/unix.rs")]
#[cfg_attr(windows, path = "pseudo_terminal/windows.rs")]
mod system;

use std::borrow::Cow;
use std::time::Duration;

use crate::command::HEADER;
use crate::program::Program;
use system::{COLUMNS, Side, System};

/// The maximum time between two outputs of a program.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The keys that end the input: Ctrl-D, or Ctrl-Z on a line of its own.
pub(crate) const END: &str = if cfg!(windows) { "\u{1a}\n" } else { "\u{4}" };

pub(crate) struct Terminal {
    system: System,
    seen: String,
    /// The length of the output that was forgotten.
    forgotten: usize,
    /// `true` if escape sequences are removed from the output.
    is_plain: bool,
}

impl Terminal {
    /// Starts the program on a terminal with 60 columns and color, or on Windows with many columns and without color.
    #[track_caller]
    pub(crate) fn start(program: Program) -> Self {
        Self::of_size(24, COLUMNS, program)
    }

    /// Starts the program on a terminal of this size; 0 rows means unknown.
    #[track_caller]
    pub(crate) fn of_size(rows: u16, columns: u16, program: Program) -> Self {
        Self::open((rows, columns), program, |_| ())
    }

    /// Starts the program, and types an answer as soon as it has printed a question.
    #[track_caller]
    pub(crate) fn answered(program: Program, question: &str, answer: &str) -> Self {
        let mut terminal = Self::start(program);
        terminal.sees(question);
        terminal.types(answer);
        terminal
    }

    #[track_caller]
    fn open(size: (u16, u16), program: Program, change: fn(Side<'_>)) -> Self {
        Self {
            system: System::open(size, program, change),
            seen: String::new(),
            forgotten: 0,
            is_plain: false,
        }
    }

    /// Removes escape sequences from the output, which shells print in the middle of words.
    pub(crate) fn without_escape_sequences(mut self) -> Self {
        self.is_plain = true;
        self
    }

    /// Waits until the program has printed this text.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) {
        self.sees_times(text, 1);
    }

    /// Waits until the program has printed this text as often.
    #[track_caller]
    pub(crate) fn sees_times(&mut self, text: &str, times: usize) {
        while self.seen().matches(text).count() < times {
            assert!(self.read(), "{text:?} is not in {:?}", self.seen);
        }
    }

    #[track_caller]
    pub(crate) fn types(&mut self, text: &str) {
        self.system.types(text);
    }

    /// Types an answer to a question that must have turned off the echo before it was shown.
    #[track_caller]
    pub(crate) fn types_unseen(&mut self, text: &str) {
        #[cfg(unix)]
        assert!(!self.system.has_echo(), "{text:?} is shown");
        self.types(text);
    }

    /// Waits until the program ends, and returns its exit code, or the negative number of the signal
    /// that ended it, and its output. Checks that the terminal's settings are restored.
    #[track_caller]
    pub(crate) fn ends(mut self) -> (Option<i32>, String) {
        while self.read() {}
        (self.system.end(), self.seen.split_off(self.forgotten))
    }

    /// Waits until the program ends with this exit code or negative number of a signal, and returns its output.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> String {
        let (ended, seen) = self.ends();
        assert_eq!(ended, Some(code), "{seen}");
        seen
    }

    /// Forgets the output so far.
    pub(crate) fn forget(&mut self) {
        self.forgotten = self.seen.len();
    }

    /// Returns the output since the start, or since it was forgotten.
    pub(crate) fn seen(&self) -> Cow<'_, str> {
        let seen = &self.seen[self.forgotten..];
        match self.is_plain {
            true => Cow::Owned(plain(seen)),
            false => Cow::Borrowed(seen),
        }
    }

    /// Reads more output; returns `false` at the end.
    #[track_caller]
    fn read(&mut self) -> bool {
        let has_more = self.system.read(&mut self.seen);
        // An editor of a test prints it.
        self.seen = self.seen.replace(&HEADER.replace('\n', "\r\n"), "");
        has_more
    }
}

fn plain(output: &str) -> String {
    let mut plain = String::new();
    let mut rest = output.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                Some('[') => drop(rest.find(|c| matches!(c, '@'..='~'))),
                Some('(') => drop(rest.next()),
                _ => {}
            },
            c => plain.push(c),
        }
    }
    plain
}
