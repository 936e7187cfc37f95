//! Runs the program in a clean environment and captures its output.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use expect_test::Expect;
use mock_server::{Clock, FaultRule, MockServer, ServiceHandle, wiremock};
#[cfg(unix)]
pub(crate) use rustix::process::Signal;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::command::HEADER;

/// Maximum time of a run, after which the program is killed.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A service that a test can put its own mocks before.
pub(crate) struct Service {
    server: MockServer,
    /// Started with the first mock; then the program uses it instead of `server`.
    mocks: OnceCell<(wiremock::MockServer, String)>,
}

impl Service {
    pub(crate) fn new(server: MockServer) -> Self {
        let mocks = OnceCell::new();
        Self { server, mocks }
    }

    /// Returns a server for mocks. Requests that match none of them reach the service.
    pub(crate) async fn mocks(&self) -> &wiremock::MockServer {
        let start = async || {
            let mocks = wiremock::MockServer::builder().start().await;
            let service = ServiceHandle::clone(&self.server);
            let all = wiremock::Mock::given(wiremock::matchers::any()).respond_with(service);
            all.with_priority(255).mount(&mocks).await;
            // wiremock waits inside `Drop`, which hangs if a loop has used up the budget of its task.
            tokio::task::yield_now().await;
            let uri = mocks.uri();
            (mocks, uri)
        };
        &self.mocks.get_or_init(start).await.0
    }

    pub(crate) fn uri(&self) -> &str {
        let mocks = self.mocks.get();
        mocks.map_or(self.server.uri(), |(_, uri)| uri)
    }
}

impl Deref for Service {
    type Target = MockServer;

    fn deref(&self) -> &MockServer {
        &self.server
    }
}

/// A service with a fixed seed, and a temporary home directory for the program.
pub(crate) struct Fixture {
    pub(crate) service: Service,
    pub(crate) home: TempDir,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let clock = Clock::fixed("2026-01-15T12:00:00Z").unwrap();
        Self::of(MockServer::builder().clock(clock).start().await.unwrap())
    }

    pub(crate) fn of(service: MockServer) -> Self {
        Self {
            service: Service::new(service),
            home: home(),
        }
    }

    /// Starts a service that returns this response to every request.
    pub(crate) async fn responding(response: impl wiremock::Respond + 'static) -> Self {
        let fixture = Self::new().await;
        let response = wiremock::Mock::given(wiremock::matchers::any()).respond_with(response);
        response.mount(fixture.service.mocks().await).await;
        fixture
    }

    /// Adds the rules of a JSON text to the service.
    #[track_caller]
    pub(crate) fn add_faults(&self, rules: &str) {
        for rule in FaultRule::from_json(rules).unwrap() {
            self.service.add_fault(rule).unwrap();
        }
    }

    /// Runs the program with the owner's key.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.program(arguments).run()
    }

    /// Runs the program with this key.
    #[track_caller]
    pub(crate) fn run_with_key(&self, key: &str, arguments: &[&str]) -> Run {
        self.program(arguments).env("PROFILE_API_KEY", key).run()
    }

    /// Returns the program without settings.
    pub(crate) fn without_settings(&self, arguments: &[&str]) -> Program {
        Program::new(self.home.path(), arguments)
    }

    /// Runs the program without settings.
    #[track_caller]
    pub(crate) fn run_stored(&self, arguments: &[&str]) -> Run {
        self.without_settings(arguments).run()
    }

    /// Writes a file in the home directory, and returns its path.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.home.path().join(name);
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Stores an account with this name and the owner's key.
    #[track_caller]
    pub(crate) fn add_account(&self, name: &str) {
        self.log_in(self.service.key(), &["--account", name])
            .stdout();
    }

    /// Stores an account of the service with this key.
    #[track_caller]
    pub(crate) fn log_in(&self, key: &str, arguments: &[&str]) -> Run {
        self.log_in_to(self.service.uri(), key, arguments)
    }

    /// Stores an account of another service with this key.
    #[track_caller]
    pub(crate) fn log_in_to(&self, base_url: &str, key: &str, arguments: &[&str]) -> Run {
        let run = self.login(base_url, key, arguments).run();
        assert!(!run.to_string().contains(key), "{run}");
        run
    }

    /// Returns the program that stores an account of a service with this key.
    pub(crate) fn login(&self, base_url: &str, key: &str, arguments: &[&str]) -> Program {
        let login = ["login", "--with-token", "--base-url", base_url];
        let login = self.without_settings(&[&login, arguments].concat());
        login.stdin(format!("{key}\n"))
    }

    /// Returns the program with the owner's key.
    pub(crate) fn program(&self, arguments: &[&str]) -> Program {
        Program::new(self.home.path(), arguments)
            .env("PROFILE_BASE_URL", self.service.uri())
            .env("PROFILE_API_KEY", self.service.key())
    }
}

/// Creates a home directory. Neither it nor a program that uses it depends on the file mode creation mask
/// or the ignored signals of whoever runs the tests.
pub(crate) fn home() -> TempDir {
    #[cfg(unix)]
    {
        crate::child::restore_default_signals();
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    }
    tempfile::tempdir().unwrap()
}

/// Returns a path as a word of a shell, with quotes if it needs them.
pub(crate) fn quoted(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_str().unwrap();
    match cfg!(windows) {
        true => format!("{QUOTE}{path}{QUOTE}"),
        false => shlex::try_quote(path).unwrap().into_owned(),
    }
}

/// Returns a command as the value of a setting.
pub(crate) fn command_line(words: &[String]) -> String {
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

const QUOTE: char = if cfg!(windows) { '"' } else { '\'' };

/// Replaces a path that may be quoted, and the beginning of longer ones, with a name. On Windows, those paths get
/// the separators of Unix.
pub(crate) fn named(text: &str, path: impl AsRef<Path>, name: &str) -> String {
    let path = path.as_ref().to_str().unwrap();
    if cfg!(windows) {
        // TSV and JSON escape backslashes.
        let text = text.replace(&path.replace('\\', r"\\"), name);
        let text = text.replace(path, name);
        let words = text.split_inclusive([' ', '\t', '\n', '"']);
        let unix = |word: &str| word.replace(r"\\", "/").replace('\\', "/");
        return words
            .map(|word| {
                if word.contains(name) {
                    unix(word)
                } else {
                    word.to_owned()
                }
            })
            .collect();
    }
    if quoted(path) == path {
        return text.replace(path, name);
    }
    let beginning = format!("{QUOTE}{path}");
    let mut parts = text.split(&beginning);
    let mut named = parts.next().unwrap().to_owned();
    for part in parts {
        let (rest, after) = part.split_once(QUOTE).unwrap();
        named += &quoted(format!("{name}{rest}"));
        named += after;
    }
    named.replace(path, name)
}

/// An editor that changes nothing.
pub(crate) const IDLE_EDITOR: &str = match cfg!(windows) {
    true => r"C:\Windows\System32\cmd.exe /c rem",
    false => "true",
};

/// Runs the program with only these environment variables.
#[track_caller]
pub(crate) fn run(home: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Run {
    Program::new(home, arguments).envs(environment).run()
}

/// Writes config.toml, and returns its directory.
pub(crate) fn configure(home: &Path, text: &str) -> PathBuf {
    let directory = home.join(".config/profile");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.toml"), text).unwrap();
    directory
}

/// A builder for runs of the program.
pub(crate) struct Program {
    pub(crate) command: Command,
    stdin: Vec<u8>,
    /// The number of the standard stream that is the null device rather than the terminal.
    pub(crate) null_stream: Option<usize>,
}

impl Program {
    /// Creates a builder with only a home directory in the environment.
    pub(crate) fn new(home: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_profile"));
        command.args(arguments).env_clear().env("HOME", home);
        // Windows needs it to start programs and to use sockets.
        if let Some(directory) = env::var_os("SystemRoot") {
            command.env("SystemRoot", directory);
        }
        // The places of Unix, so that a test finds the files on all systems.
        command.env("USERPROFILE", home);
        command.env("APPDATA", home.join(".config"));
        command.env("LOCALAPPDATA", home.join(".local").join("state"));
        // A build with keyring support would use the keyring of the user who runs the tests.
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        // Keep coverage measurements of the program.
        if let Some(file) = env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", file);
        }
        Self {
            command,
            stdin: Vec::new(),
            null_stream: None,
        }
    }

    /// Creates a builder for a shell in which the program is on the PATH.
    #[cfg(unix)]
    pub(crate) fn shell(shell: &str, home: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(shell);
        command.args(arguments);
        let directory = Path::new(env!("CARGO_BIN_EXE_profile")).parent().unwrap();
        let path = env::var("PATH").unwrap();
        // A shell that ends after its home directory was removed must not create it again.
        Self::new(home, &[])
            .replaced_by(command)
            .env("PATH", format!("{}:{path}", directory.display()))
            .env("HISTFILE", "/dev/null")
    }

    /// Replaces the program and its arguments by those of a command, which gets its environment.
    #[cfg(unix)]
    pub(crate) fn replaced_by(mut self, mut command: Command) -> Self {
        let variables = self.command.get_envs();
        let set = variables.filter_map(|(name, value)| Some((name, value?)));
        command.env_clear().envs(set);
        self.command = command;
        self
    }

    /// Sets the name with which the program is started.
    #[cfg(unix)]
    pub(crate) fn name(mut self, name: &str) -> Self {
        std::os::unix::process::CommandExt::arg0(&mut self.command, name);
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets environment variables.
    pub(crate) fn envs(mut self, variables: &[(&str, &str)]) -> Self {
        self.command.envs(variables.iter().copied());
        self
    }

    /// Removes an environment variable.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Adds an argument.
    pub(crate) fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Sets stdin, which is empty by default.
    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Starts the program.
    #[track_caller]
    pub(crate) fn start(mut self) -> Running {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = match self.command.spawn() {
            // One of thousands fails under Wine.
            Err(_) if cfg!(windows) => self.command.spawn(),
            child => child,
        };
        let mut child = child.unwrap();
        // A program that does not read stdin may have exited already.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        Running::new(child)
    }

    /// Starts the program with this stdin.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_with_stdin(mut self, stdin: impl Into<Stdio>) -> Running {
        self.command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Running::new(self.command.spawn().unwrap())
    }

    /// Runs the program until it exits.
    #[track_caller]
    pub(crate) fn run(self) -> Run {
        self.start().end()
    }

    /// Runs the program until it exits, with stdout closed.
    #[track_caller]
    pub(crate) fn run_with_closed_stdout(self) -> Run {
        let mut running = self.start();
        running.stop_reading();
        running.end()
    }
}

/// A running program.
pub(crate) struct Running {
    child: Child,
    /// `None` once stdout is closed.
    stdout: Option<BufReader<ChildStdout>>,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    fn new(mut child: Child) -> Self {
        Self {
            stdout: Some(BufReader::new(child.stdout.take().unwrap())),
            stderr: BufReader::new(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Returns the ID of the only child process, once it handles SIGTERM.
    #[cfg(target_os = "linux")]
    pub(crate) fn child_id(&self) -> i32 {
        let id = self.child.id();
        handling(|| {
            let child = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
            child.trim().parse().ok()
        })
    }

    /// Sends a signal once the program handles it.
    #[cfg(target_os = "linux")]
    pub(crate) fn signal_when_handled(&self, signal: Signal) {
        handling(|| i32::try_from(self.child.id()).ok());
        self.signal(signal);
    }

    /// Reads the next line of stdout, without the line break.
    #[track_caller]
    pub(crate) fn stdout_line(&mut self) -> String {
        line(self.stdout.as_mut().unwrap())
    }

    /// Reads the next line of stderr, without the line break.
    #[track_caller]
    pub(crate) fn stderr_line(&mut self) -> String {
        line(&mut self.stderr)
    }

    /// Returns `true` if the program has exited.
    #[cfg(unix)]
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Closes stdout.
    pub(crate) fn stop_reading(&mut self) {
        self.stdout = None;
    }

    /// Sends a signal.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Asks the program to stop, as service managers do.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        #[cfg(unix)]
        self.signal(Signal::TERM);
        #[cfg(not(unix))]
        self.child.kill().unwrap();
    }

    /// Waits until the program exits. The result does not contain lines that were read before.
    #[track_caller]
    pub(crate) fn end(mut self) -> Run {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (ended, end) = mpsc::channel::<()>();
        // Read both at once, since a full pipe would block the program.
        thread::scope(|scope| {
            let child = &mut self.child;
            scope.spawn(move || {
                if end.recv_timeout(TIMEOUT) == Err(RecvTimeoutError::Timeout) {
                    child.kill().unwrap();
                }
            });
            let stderr = scope.spawn(|| self.stderr.read_to_end(&mut stderr).unwrap());
            if let Some(reader) = &mut self.stdout {
                reader.read_to_end(&mut stdout).unwrap();
            }
            stderr.join().unwrap();
            drop(ended);
        });
        let mut text = String::from_utf8_lossy(&stderr).replace(HEADER, "");
        if cfg!(windows) {
            // For a missing file and a missing directory.
            for code in [2, 3] {
                let reason = std::io::Error::from_raw_os_error(code).to_string();
                text = text.replace(&reason, "No such file or directory (os error 2)");
            }
            text = text.replace("exit code: ", "exit status: ");
        }
        let output = Output {
            status: self.child.wait().unwrap(),
            stdout,
            stderr: text.into(),
        };
        Run { output }
    }
}

/// Returns the ID of a process once it handles SIGTERM.
#[cfg(target_os = "linux")]
fn handling(id: impl Fn() -> Option<i32>) -> i32 {
    let started = std::time::Instant::now();
    while started.elapsed() < TIMEOUT {
        if let Some(id) = id() {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
            if caught >> (Signal::TERM.as_raw() - 1) & 1 == 1 {
                return id;
            }
        }
        thread::yield_now();
    }
    panic!("the program has not started");
}

impl Drop for Running {
    /// Ends the program if the test failed.
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

/// The output and exit status of a run.
pub(crate) struct Run {
    output: Output,
}

impl Run {
    /// Returns `true` if the exit code is 0.
    pub(crate) fn succeeded(&self) -> bool {
        self.output.status.success()
    }

    /// Compares exit status, stdout and stderr with a snapshot.
    #[track_caller]
    pub(crate) fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.to_string());
    }

    /// Checks that stderr contains a text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stderr().contains(text), "{text}: {self}");
    }

    /// Checks the exit code, and that stderr contains a text.
    #[track_caller]
    pub(crate) fn fails(&self, code: i64, text: &str) {
        assert_eq!(self.code(), code, "{self}");
        self.says(text);
    }

    /// Returns stderr of a usage error, which has exit code 2 and an empty stdout.
    #[track_caller]
    pub(crate) fn usage_error(&self) -> String {
        assert_eq!((self.code(), self.stdout_bytes()), (2, &b""[..]), "{self}");
        self.stderr()
    }

    /// Checks that the run asked for a consent that needs a terminal or `--yes`.
    #[track_caller]
    pub(crate) fn check_needs_consent(&self) {
        let expected = "error: confirmation is required, but stderr is not a terminal to ask on\n\
                        hint: add --yes\n";
        assert_eq!(self.usage_error(), expected);
    }

    /// Returns stdout of a successful run.
    #[track_caller]
    pub(crate) fn stdout(&self) -> &str {
        assert!(self.output.status.success(), "{self}");
        std::str::from_utf8(&self.output.stdout).unwrap()
    }

    /// Prepends output that was read before the exit.
    pub(crate) fn after(mut self, stdout: &str, stderr: &str) -> Self {
        self.output.stdout.splice(..0, stdout.bytes());
        self.output.stderr.splice(..0, stderr.bytes());
        self
    }

    /// Returns stdout, for any exit code.
    pub(crate) fn stdout_bytes(&self) -> &[u8] {
        &self.output.stdout
    }

    /// Returns the exit code, or the negative number of the signal that ended the program.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        let status = self.output.status;
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return (-signal).into();
        }
        status.code().unwrap().into()
    }

    /// Returns `true` if the program left a core file.
    #[cfg(target_os = "linux")]
    pub(crate) fn core_dumped(&self) -> bool {
        std::os::unix::process::ExitStatusExt::core_dumped(&self.output.status)
    }

    /// Returns stderr.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Parses each line of stdout as JSON, for any exit code.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        let text = std::str::from_utf8(&self.output.stdout).unwrap();
        let document = |line| serde_json::from_str(line).unwrap();
        text.lines().map(document).collect()
    }

    /// Parses stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.stdout()).unwrap()
    }

    /// Returns the error object of a failed run with JSON output.
    #[track_caller]
    pub(crate) fn error(&self) -> serde_json::Value {
        assert!(!self.output.status.success(), "{self}");
        let stderr = self.stderr();
        let last = stderr.lines().last().unwrap();
        serde_json::from_str::<serde_json::Value>(last).unwrap()["error"].take()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.code();
        let stdout = String::from_utf8_lossy(&self.output.stdout);
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        write!(f, "exit {status}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}
