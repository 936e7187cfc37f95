//! Runs the program in an environment of its own and shows what it printed.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use mock_server::{Clock, MockServer};
use tempfile::TempDir;

/// A service that always shows the same, and a home directory of its own for the program.
pub(crate) struct Place {
    pub(crate) service: MockServer,
    pub(crate) home: TempDir,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let clock = Clock::fixed("2026-01-15T12:00:00Z").unwrap();
        let service = MockServer::builder().clock(clock).start().await.unwrap();
        Self {
            service,
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// Runs the program as the owner of the profile.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.program(arguments).run()
    }

    /// Runs the program with this key.
    #[track_caller]
    pub(crate) fn run_with_key(&self, key: &str, arguments: &[&str]) -> Run {
        self.program(arguments).env("PROFILE_API_KEY", key).run()
    }

    /// The program as the owner of the profile would run it.
    pub(crate) fn program(&self, arguments: &[&str]) -> Program {
        Program::new(self.home.path(), arguments)
            .env("PROFILE_BASE_URL", self.service.uri())
            .env("PROFILE_API_KEY", self.service.key())
    }
}

/// Runs the program with this environment and no other.
#[track_caller]
pub(crate) fn run(home: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Run {
    let program = Program::new(home, arguments);
    let program = environment
        .iter()
        .fold(program, |program, (name, value)| program.env(name, value));
    program.run()
}

/// A run of the program that has not begun.
pub(crate) struct Program {
    command: Command,
    stdin: Vec<u8>,
}

impl Program {
    /// The program with nothing in its environment but a home.
    pub(crate) fn new(home: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_profile"));
        command.args(arguments).env_clear().env("HOME", home);
        // Where a measurement of coverage has each process write what it ran through.
        if let Some(file) = env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", file);
        }
        Self {
            command,
            stdin: Vec::new(),
        }
    }

    /// With a variable in its environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without a variable that would be in its environment.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// With this on its standard input; without it there is nothing.
    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(mut self) -> Run {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A program that reads nothing may have ended already.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        Run {
            output: child.wait_with_output().unwrap(),
        }
    }
}

/// What a run of the program printed and how it ended.
pub(crate) struct Run {
    output: Output,
}

impl Run {
    /// Whether the program said that it did what it was asked for.
    pub(crate) fn succeeded(&self) -> bool {
        self.output.status.success()
    }

    /// Compares exit status, stdout and stderr with what is expected.
    #[track_caller]
    pub(crate) fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.to_string());
    }

    /// The standard output of a run that succeeded.
    #[track_caller]
    pub(crate) fn stdout(&self) -> &str {
        assert!(self.output.status.success(), "{self}");
        std::str::from_utf8(&self.output.stdout).unwrap()
    }

    /// The JSON document that a run printed.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.stdout()).unwrap()
    }
}

impl Run {
    /// The error object that a run in JSON mode printed on its last line.
    #[track_caller]
    pub(crate) fn error(&self) -> serde_json::Value {
        assert!(!self.output.status.success(), "{self}");
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        let mut printed: serde_json::Value =
            serde_json::from_str(stderr.lines().last().unwrap()).unwrap();
        printed["error"].take()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a code a signal ended it.
        let status = self.output.status.code().unwrap_or(-1);
        let stdout = String::from_utf8_lossy(&self.output.stdout);
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        write!(f, "exit {status}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}
