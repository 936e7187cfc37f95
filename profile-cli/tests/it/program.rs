//! Runs the program in an environment of its own and shows what it printed.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};

use expect_test::Expect;
use mock_server::{Clock, MockServer};
#[cfg(unix)]
pub(crate) use rustix::process::Signal;
use tempfile::TempDir;

/// A service that always shows the same, and a home directory of its own for the program.
pub(crate) struct Place {
    pub(crate) service: MockServer,
    pub(crate) home: TempDir,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let clock = Clock::fixed("2026-01-15T12:00:00Z").unwrap();
        Self::of(MockServer::builder().clock(clock).start().await.unwrap())
    }

    /// With a service whose connections can go wrong.
    pub(crate) async fn with_wire_faults() -> Self {
        Self::of(MockServer::builder().wire_faults().start().await.unwrap())
    }

    pub(crate) fn of(service: MockServer) -> Self {
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
    pub(crate) command: Command,
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

    /// With one more argument.
    pub(crate) fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// With this on its standard input; without it there is nothing.
    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Starts it and lets it run.
    #[track_caller]
    pub(crate) fn start(mut self) -> Running {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A program that reads nothing may have ended already.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        Running {
            stdout: Some(BufReader::new(child.stdout.take().unwrap())),
            stderr: BufReader::new(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(self) -> Run {
        self.start().end()
    }

    /// Runs it to its end while nobody reads what it prints on its standard output.
    #[track_caller]
    pub(crate) fn run_with_closed_stdout(self) -> Run {
        let mut running = self.start();
        running.stop_reading();
        running.end()
    }
}

/// A program that runs on until it is told to end.
pub(crate) struct Running {
    child: Child,
    /// Nothing once its reader has had enough.
    stdout: Option<BufReader<ChildStdout>>,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    /// The next line of its standard output, without the line break.
    #[track_caller]
    pub(crate) fn stdout_line(&mut self) -> String {
        line(self.stdout.as_mut().unwrap())
    }

    /// The next line of its standard error, without the line break.
    #[track_caller]
    pub(crate) fn stderr_line(&mut self) -> String {
        line(&mut self.stderr)
    }

    /// Closes its standard output, as a reader does that has had enough.
    pub(crate) fn stop_reading(&mut self) {
        self.stdout = None;
    }

    /// Sends it a signal.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Asks it to stop, as whoever looks after services does.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        #[cfg(unix)]
        self.signal(Signal::TERM);
        #[cfg(not(unix))]
        self.child.kill().unwrap();
    }

    /// Waits for its end; what was read of its output by line is not in what this gives.
    #[track_caller]
    pub(crate) fn end(mut self) -> Run {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        // Both at once, since a full pipe would keep it from filling the other.
        std::thread::scope(|scope| {
            scope.spawn(|| self.stderr.read_to_end(&mut stderr).unwrap());
            if let Some(reader) = &mut self.stdout {
                reader.read_to_end(&mut stdout).unwrap();
            }
        });
        let output = Output {
            status: self.child.wait().unwrap(),
            stdout,
            stderr,
        };
        Run { output }
    }
}

impl Drop for Running {
    /// A test that failed leaves nothing behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.strip_suffix('\n').unwrap_or_default().to_owned()
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

    /// The same with what was read before its end.
    pub(crate) fn after(mut self, stdout: &str, stderr: &str) -> Self {
        self.output.stdout.splice(..0, stdout.bytes());
        self.output.stderr.splice(..0, stderr.bytes());
        self
    }

    /// What it printed on its standard output, however it ended.
    pub(crate) fn stdout_bytes(&self) -> &[u8] {
        &self.output.stdout
    }

    /// The exit code of a run that no signal ended.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        self.output.status.code().unwrap().into()
    }

    /// What it printed on its standard error.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The JSON documents that a run printed, one a line, however it ended.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        let text = std::str::from_utf8(&self.output.stdout).unwrap();
        let document = |line| serde_json::from_str(line).unwrap();
        text.lines().map(document).collect()
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
