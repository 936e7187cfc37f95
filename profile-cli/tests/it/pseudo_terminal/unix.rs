//! The pseudo-terminal of Unix, which passes the output on unchanged.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

use super::Terminal;
use crate::program::Program;

pub(super) const COLUMNS: u16 = 60;

/// The program's end of a terminal.
pub(super) type Side<'a> = BorrowedFd<'a>;

pub(super) struct System {
    pty: Pty,
    program: Child,
}

impl Terminal {
    /// Starts the program after a change of its end of the terminal.
    #[track_caller]
    pub(crate) fn start_after(program: Program, change: fn(Side<'_>)) -> Self {
        Self::open((24, COLUMNS), program, change)
    }

    /// Sends a signal to the program only.
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.system.program), signal).unwrap();
    }
}

impl System {
    /// Starts the program after a change of its end of the terminal.
    #[track_caller]
    pub(super) fn open(
        (rows, columns): (u16, u16),
        program: Program,
        change: fn(Side<'_>),
    ) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        change(pts.as_fd());
        let environment = program.command.get_envs();
        let set = environment.filter_map(|(name, value)| Some((name, value?)));
        let command = Command::new(program.command.get_program())
            .args(program.command.get_args())
            .current_dir(program.command.get_current_dir().unwrap_or(Path::new(".")))
            .env_clear()
            .env("TERM", "xterm-256color")
            .envs(set);
        let command = match program.null_stream {
            Some(0) => command.stdin(Stdio::null()),
            Some(1) => command.stdout(Stdio::null()),
            Some(_) => command.stderr(Stdio::null()),
            None => command,
        };
        let program = command.spawn(pts).unwrap();
        Self { pty, program }
    }

    #[track_caller]
    pub(super) fn types(&mut self, text: &str) {
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// Returns `true` if what is typed is shown.
    pub(super) fn has_echo(&self) -> bool {
        let modes = tcgetattr(&self.pty).unwrap().local_modes;
        modes.contains(LocalModes::ECHO)
    }

    /// Adds more output; returns `false` at the end.
    #[track_caller]
    pub(super) fn read(&mut self, seen: &mut String) -> bool {
        let mut bytes = [0; 4096];
        let mut waits = [PollFd::new(&self.pty, PollFlags::IN)];
        let limit = Timespec::try_from(super::MAX_WAIT).unwrap();
        let ready = poll(&mut waits, Some(&limit)).unwrap();
        assert_ne!(ready, 0, "no more output after {seen:?}");
        match self.pty.read(&mut bytes) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                *seen += &String::from_utf8_lossy(&bytes[..length]);
                true
            }
        }
    }

    /// Returns the exit code of the program, or the negative number of the signal that ended it. Checks that the
    /// terminal's settings are restored.
    #[track_caller]
    pub(super) fn end(mut self) -> Option<i32> {
        let status = self.program.wait().unwrap();
        let modes = tcgetattr(&self.pty).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ECHO | LocalModes::ISIG));
        let signal = status.signal().map(|number| -number);
        status.code().or(signal)
    }
}
