//! Runs the program on a pseudo terminal.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Child;

use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

use crate::program::Program;

/// The maximum time between two outputs of a program.
const MAX_WAIT: Timespec = Timespec {
    tv_sec: 20,
    tv_nsec: 0,
};

pub(crate) struct Terminal {
    pty: Pty,
    program: Child,
    seen: String,
    /// `true` if escape sequences are removed from the output.
    is_plain: bool,
}

impl Terminal {
    /// Starts the program on a terminal with 60 columns and color.
    #[track_caller]
    pub(crate) fn start(program: Program) -> Self {
        Self::of_size(24, 60, program)
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

    /// Starts the program after a change of its end of the terminal.
    #[track_caller]
    pub(crate) fn start_after(program: Program, change: impl FnOnce(BorrowedFd<'_>)) -> Self {
        Self::open((24, 60), program, change)
    }

    #[track_caller]
    fn open(
        (rows, columns): (u16, u16),
        program: Program,
        change: impl FnOnce(BorrowedFd<'_>),
    ) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        change(pts.as_fd());
        let environment = program.command.get_envs();
        let set = environment.filter_map(|(name, value)| Some((name, value?)));
        let program = Command::new(program.command.get_program())
            .args(program.command.get_args())
            .current_dir(program.command.get_current_dir().unwrap_or(Path::new(".")))
            .env_clear()
            .env("TERM", "xterm-256color")
            .envs(set)
            .spawn(pts)
            .unwrap();
        Self {
            pty,
            program,
            seen: String::new(),
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
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// Types an answer to a question that must have turned off the echo before it was shown.
    #[track_caller]
    pub(crate) fn types_unseen(&mut self, text: &str) {
        let modes = tcgetattr(&self.pty).unwrap().local_modes;
        assert!(!modes.contains(LocalModes::ECHO), "{:?} is shown", text);
        self.types(text);
    }

    /// Sends a signal to the program only.
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.program), signal).unwrap();
    }

    /// Waits until the program ends, and returns its exit code, or the negative number of the signal
    /// that ended it, and its output. Checks that the terminal's settings are restored.
    #[track_caller]
    pub(crate) fn ends(mut self) -> (Option<i32>, String) {
        while self.read() {}
        let status = self.program.wait().unwrap();
        let modes = tcgetattr(&self.pty).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ECHO | LocalModes::ISIG));
        let signal = status.signal().map(|number| -number);
        (status.code().or(signal), self.seen)
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
        self.seen.clear();
    }

    /// Returns the output since the start, or since it was forgotten.
    pub(crate) fn seen(&self) -> Cow<'_, str> {
        match self.is_plain {
            true => Cow::Owned(plain(&self.seen)),
            false => Cow::Borrowed(&self.seen),
        }
    }

    /// Reads more output; returns `false` at the end.
    #[track_caller]
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let mut waits = [PollFd::new(&self.pty, PollFlags::IN)];
        let ready = poll(&mut waits, Some(&MAX_WAIT)).unwrap();
        assert_ne!(ready, 0, "no more output after {:?}", self.seen);
        match self.pty.read(&mut bytes) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                self.seen += &String::from_utf8_lossy(&bytes[..length]);
                true
            }
        }
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
