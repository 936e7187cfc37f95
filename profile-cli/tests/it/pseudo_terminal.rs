//! Runs the program on a pseudo terminal.

use std::io::{Read as _, Write as _};
use std::process::Child;

use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use rustix::termios::{LocalModes, tcgetattr};

use crate::program::Program;

pub(crate) struct Terminal {
    pty: Pty,
    program: Child,
    seen: String,
}

impl Terminal {
    /// Starts the program on a terminal with 60 columns and color.
    #[track_caller]
    pub(crate) fn start(program: Program) -> Self {
        Self::of_rows(24, program)
    }

    /// Starts the program on a terminal with this number of rows; 0 means unknown.
    #[track_caller]
    pub(crate) fn of_rows(rows: u16, program: Program) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(Size::new(rows, 60)).unwrap();
        let environment = program.command.get_envs();
        let set = environment.filter_map(|(name, value)| Some((name, value?)));
        let program = Command::new(program.command.get_program())
            .args(program.command.get_args())
            .env_clear()
            .env("TERM", "xterm-256color")
            .envs(set)
            .spawn(pts)
            .unwrap();
        Self {
            pty,
            program,
            seen: String::new(),
        }
    }

    /// Waits until the program has printed this text.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) {
        while !self.seen.contains(text) {
            assert!(self.read(), "{text:?} is not in {:?}", self.seen);
        }
    }

    #[track_caller]
    pub(crate) fn types(&mut self, text: &str) {
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// Types after the echo is turned off.
    #[track_caller]
    pub(crate) fn types_unseen(&mut self, text: &str) {
        while tcgetattr(&self.pty)
            .unwrap()
            .local_modes
            .contains(LocalModes::ECHO)
        {
            assert!(self.program.try_wait().unwrap().is_none(), "it has ended");
            std::thread::yield_now();
        }
        self.types(text);
    }

    /// Waits until the program exits, and returns its exit code and output. Checks that the
    /// terminal's settings are restored.
    #[track_caller]
    pub(crate) fn ends(mut self) -> (Option<i32>, String) {
        while self.read() {}
        let status = self.program.wait().unwrap();
        let modes = tcgetattr(&self.pty).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ECHO | LocalModes::ISIG));
        (status.code(), self.seen)
    }

    /// Reads more output; returns `false` at the end.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.pty.read(&mut bytes) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                self.seen += &String::from_utf8_lossy(&bytes[..length]);
                true
            }
        }
    }
}
